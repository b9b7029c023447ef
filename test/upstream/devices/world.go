// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// world is one node with devices, what is allocated of them, and the claims of equal pods that come one
// after the other.
type world struct {
	seed    int64
	Version int                          `json:"version"`
	Node    string                       `json:"node"`
	Labels  map[string]string            `json:"labels"`
	Slices  []*resourceapi.ResourceSlice `json:"slices"`
	Classes []*resourceapi.DeviceClass   `json:"classes"`
	Claims  []*resourceapi.ResourceClaim `json:"claims"` // allocated before
	Pod     []*resourceapi.ResourceClaim `json:"pod"`
	Most    int                          `json:"most"`
}

const node = "n"

func pointer[T any](value T) *T { return &value }

type maker struct {
	*rand.Rand
	world    *world
	counters bool
	shared   bool
	taints   bool
	bindings bool
	guarded  bool // selectors end with no error
}

func newWorld(seed int64, version int) *world {
	r := rand.New(rand.NewSource(seed))
	w := &world{seed: seed, Version: version, Node: node, Labels: map[string]string{"rack": "a"}, Most: 1 + r.Intn(8)}
	m := &maker{Rand: r, world: w, counters: r.Intn(3) == 0, shared: r.Intn(3) == 0,
		taints: r.Intn(4) == 0, bindings: r.Intn(5) == 0, guarded: r.Intn(3) > 0}
	m.pools()
	m.classes()
	m.allocated()
	for i := range pick(m, 1, 1, 1, 2, 2, 3) {
		w.Pod = append(w.Pod, m.claim(fmt.Sprintf("claim-%d", i)))
	}
	return w
}

func (m *maker) chance(n int) bool { return m.Intn(n) == 0 }

func pick[T any](m *maker, from ...T) T { return from[m.Intn(len(from))] }

// ---- devices ----

func (m *maker) pools() {
	for i := range 1 + m.Intn(4) {
		driver := fmt.Sprintf("%c.example.com", 'a'+rune(pick(m, 0, 0, 1, 1, 2)))
		pool := pick(m, node, fmt.Sprintf("pool-%d", i))
		taken := false
		for _, s := range m.world.Slices {
			taken = taken || s.Spec.Driver == driver && s.Spec.Pool.Name == pool
		}
		if !taken {
			m.pool(driver, pool)
		}
	}
}

func (m *maker) slice(driver, pool string, count int64) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s-%c-%d", 'a'+rune(m.Intn(26)), len(m.world.Slices))}}
	s.Spec = resourceapi.ResourceSliceSpec{Driver: driver, NodeName: pointer(node),
		Pool: resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: count}}
	m.world.Slices = append(m.world.Slices, s)
	return s
}

func (m *maker) pool(driver, pool string) {
	slices := 1 + m.Intn(2)
	counted := m.counters && !m.chance(3)
	count := int64(slices)
	if counted {
		count++
	}
	if m.chance(30) {
		count++ // incomplete
	}
	sets := 1 + m.Intn(2)
	first := len(m.world.Slices)
	if counted {
		s := m.slice(driver, pool, count)
		for i := range sets {
			s.Spec.SharedCounters = append(s.Spec.SharedCounters, resourceapi.CounterSet{Name: fmt.Sprintf("set-%d", i),
				Counters: map[string]resourceapi.Counter{
					"mem": {Value: *resource.NewQuantity(int64(2+m.Intn(7)), resource.DecimalSI)},
					"sm":  {Value: *resource.NewQuantity(int64(2+m.Intn(7)), resource.DecimalSI)}}})
		}
	}
	number := 0
	for range slices {
		s := m.slice(driver, pool, count)
		if m.chance(15) {
			s.Spec.Pool.Generation = 2
		}
		for range 1 + m.Intn(6) {
			s.Spec.Devices = append(s.Spec.Devices, m.device(fmt.Sprintf("d%d", number), counted, sets))
			number++
			if m.chance(200) {
				number-- // two devices of one name
			}
		}
	}
	m.reach(m.world.Slices[first:], counted)
	if m.chance(6) {
		m.elsewhere(m.world.Slices[first:], counted)
	}
}

// elsewhere adds a slice of the pool that another node has, of its generation or another one.
func (m *maker) elsewhere(of []*resourceapi.ResourceSlice, counted bool) {
	pool := of[len(of)-1].Spec.Pool
	s := m.slice(of[0].Spec.Driver, pool.Name, pool.ResourceSliceCount)
	s.Spec.NodeName = pointer("other")
	s.Spec.Pool.Generation = pool.Generation + int64(pick(m, 0, 0, 0, -1, 1))
	if s.Spec.Pool.Generation == pool.Generation && !m.chance(4) {
		s.Spec.Pool.ResourceSliceCount++
		for _, one := range of {
			one.Spec.Pool.ResourceSliceCount++
		}
	}
	for i := range 1 + m.Intn(3) {
		s.Spec.Devices = append(s.Spec.Devices, m.device(fmt.Sprintf("e%d", i), counted, 1))
	}
}

// reach says which nodes reach the devices, if that is not the one node. It always reaches some slice of a pool with
// counters: 1.36 looks at those that it does not reach, too, and fails requests for all devices if one is incomplete.
func (m *maker) reach(of []*resourceapi.ResourceSlice, counted bool) {
	switch m.Intn(8) {
	case 0, 1:
		for _, s := range of {
			s.Spec.NodeName, s.Spec.AllNodes = nil, pointer(true)
		}
	case 2:
		selector := m.selector()
		for i, s := range of {
			if !counted || i > 1 {
				s.Spec.NodeName, s.Spec.NodeSelector = nil, selector
			}
		}
	case 3:
		for _, s := range of {
			s.Spec.NodeName, s.Spec.PerDeviceNodeSelection = nil, pointer(true)
			for i := range s.Spec.Devices {
				switch d := &s.Spec.Devices[i]; m.Intn(4) {
				case 0:
					d.NodeName = pointer(pick(m, node, "other"))
				case 1:
					d.AllNodes = pointer(true)
				default:
					d.NodeSelector = m.selector()
				}
			}
			if counted && len(s.Spec.Devices) > 0 && m.chance(2) {
				s.Spec.Devices[0].NodeName, s.Spec.Devices[0].AllNodes, s.Spec.Devices[0].NodeSelector = nil, pointer(true), nil
			}
		}
	}
}

func (m *maker) selector() *v1.NodeSelector {
	term := v1.NodeSelectorTerm{}
	switch m.Intn(4) {
	case 0:
		term.MatchFields = []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{pick(m, node, "other")}}}
	case 1:
		term.MatchExpressions = []v1.NodeSelectorRequirement{{Key: pick(m, "rack", "missing"), Operator: pick(m, v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist)}}
	default:
		term.MatchExpressions = []v1.NodeSelectorRequirement{{Key: "rack", Operator: pick(m, v1.NodeSelectorOpIn, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn),
			Values: []string{pick(m, "a", "a", "b"), "c"}}}
	}
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}}
}

func (m *maker) value() resourceapi.DeviceAttribute {
	switch m.Intn(9) {
	case 0:
		return resourceapi.DeviceAttribute{IntValue: pointer(int64(m.Intn(3)))}
	case 1:
		return resourceapi.DeviceAttribute{BoolValue: pointer(m.chance(2))}
	case 2:
		return resourceapi.DeviceAttribute{VersionValue: pointer(pick(m, "1.0.0", "1.2.0", "2.0.0-rc.1"))}
	}
	return resourceapi.DeviceAttribute{StringValue: pointer(pick(m, "x", "y", "z"))}
}

func (m *maker) device(name string, counted bool, sets int) resourceapi.Device {
	d := resourceapi.Device{Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}}
	for _, attribute := range []string{"kind", "numa", "root", "other.example.com/lane"} {
		if !m.chance(12) {
			d.Attributes[resourceapi.QualifiedName(attribute)] = m.value()
		}
	}
	d.Attributes["uuid"] = resourceapi.DeviceAttribute{StringValue: pointer(fmt.Sprint("u-", m.Int63()))}
	if m.shared || m.chance(4) {
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}
		for _, name := range []string{"memory", "bandwidth"} {
			if !m.chance(4) {
				d.Capacity[resourceapi.QualifiedName(name)] = m.capacity()
			}
		}
	}
	if m.shared && m.chance(2) {
		d.AllowMultipleAllocations = pointer(true)
	}
	if counted && !m.chance(5) {
		use := resourceapi.DeviceCounterConsumption{CounterSet: fmt.Sprintf("set-%d", m.Intn(sets)), Counters: map[string]resourceapi.Counter{
			"mem": {Value: *resource.NewQuantity(int64(1+m.Intn(4)), resource.DecimalSI)}}}
		if m.chance(2) {
			use.Counters["sm"] = resourceapi.Counter{Value: *resource.NewQuantity(int64(1+m.Intn(3)), resource.DecimalSI)}
		}
		if m.chance(60) {
			use.CounterSet = "none"
		}
		d.ConsumesCounters = append(d.ConsumesCounters, use)
		if sets > 1 && m.chance(3) {
			d.ConsumesCounters = append(d.ConsumesCounters, resourceapi.DeviceCounterConsumption{
				CounterSet: pick(m, "set-0", "set-1"), Counters: map[string]resourceapi.Counter{
					"sm": {Value: *resource.NewQuantity(1, resource.DecimalSI)}}})
		}
	}
	for m.taints && m.chance(3) {
		d.Taints = append(d.Taints, resourceapi.DeviceTaint{Key: pick(m, "broken", "slow"), Value: pick(m, "", "yes"),
			Effect: pick(m, resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffectNone)})
	}
	if m.bindings && m.chance(3) {
		d.BindingConditions = []string{"Ready"}
		d.BindingFailureConditions = []string{"Failed"}
	}
	return d
}

func (m *maker) quantity(most int) resource.Quantity {
	if m.chance(6) {
		return resource.MustParse(fmt.Sprintf("%dm", 250*(1+m.Intn(4*most))))
	}
	if m.chance(60) {
		// 1.36 wraps around.
		return resource.MustParse(pick(m, "1500u", "1n", map[bool]string{true: "9Ei", false: "1u"}[m.world.Version > 36]))
	}
	return *resource.NewQuantity(int64(1+m.Intn(most)), resource.DecimalSI)
}

func (m *maker) capacity() resourceapi.DeviceCapacity {
	c := resourceapi.DeviceCapacity{Value: *resource.NewQuantity(int64(4+m.Intn(13)), resource.DecimalSI)}
	switch m.Intn(5) {
	case 4:
		c.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: pointer(resource.MustParse("1500m")),
			ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: pointer(resource.MustParse(pick(m, "500m", "1", "1500u"))),
				Step: pointer(resource.MustParse(pick(m, "250m", "500m", "1", "100u")))}}
		if m.chance(2) {
			c.RequestPolicy.ValidRange.Max = pointer(resource.MustParse(pick(m, "2500m", "4", "9Ei")))
		}
	case 0:
		c.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: pointer(*resource.NewQuantity(2, resource.DecimalSI)),
			ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: pointer(*resource.NewQuantity(2, resource.DecimalSI))}}
		if m.chance(2) {
			c.RequestPolicy.ValidRange.Step = pointer(*resource.NewQuantity(2, resource.DecimalSI))
		}
		if m.chance(2) {
			c.RequestPolicy.ValidRange.Max = pointer(*resource.NewQuantity(int64(4+m.Intn(5)), resource.DecimalSI))
		}
	case 1:
		c.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: pointer(*resource.NewQuantity(1, resource.DecimalSI)),
			ValidValues: []resource.Quantity{*resource.NewQuantity(1, resource.DecimalSI), *resource.NewQuantity(3, resource.DecimalSI), *resource.NewQuantity(6, resource.DecimalSI)}}
	}
	return c
}

// ---- classes and claims ----

func (m *maker) expression() string {
	domain := pick(m, "a.example.com", "a.example.com", "b.example.com", "other.example.com")
	name := pick(m, "kind", "numa", "root", "lane", "missing")
	one := fmt.Sprintf("device.attributes[%q].%s", domain, name)
	has := fmt.Sprintf("has(%s)", one)
	guard := ""
	if m.guarded {
		guard = has + " && "
	}
	size := fmt.Sprintf("device.capacity[%q].memory", domain)
	switch m.Intn(12) {
	case 0:
		return `device.driver == "a.example.com"`
	case 1:
		return fmt.Sprintf("%s && %s == %q", has, one, pick(m, "x", "y"))
	case 2:
		return fmt.Sprintf("!%s || %s in [%q, %q]", has, one, "x", "z")
	case 3:
		return fmt.Sprintf("device.driver == %q && %s%s != %q", domain, guard, one, "x")
	case 4:
		return fmt.Sprintf("%s && %s.compareTo(quantity(%q)) >= 0", fmt.Sprintf("has(%s)", size), size, pick(m, "4", "8"))
	case 5:
		if m.guarded {
			return fmt.Sprintf("%s && type(%s) == int && %s >= %d", has, one, one, m.Intn(3))
		}
		return fmt.Sprintf("%s && %s >= %d", has, one, m.Intn(3))
	case 6:
		return fmt.Sprintf("%s%s == %q || device.driver.startsWith(%q)", guard, one, "y", pick(m, "a", "b"))
	case 7:
		return pick(m, "device.allowMultipleAllocations", "!device.allowMultipleAllocations")
	case 8:
		if m.chance(4) {
			return fmt.Sprintf("cel.bind(v, %s, %s || v == %q)", one, pick(m, "true", "!"+has), "y")
		}
		return fmt.Sprintf("device.driver.contains(%q) && !(%s && %s == true)", "example", has, one)
	case 9:
		if m.guarded {
			return fmt.Sprintf("cel.bind(d, device.attributes[%q], has(d.%s) && d.%s == %q)", domain, name, name, "x")
		}
		return fmt.Sprintf("%s && %s.isGreaterThan(semver(%q))", has, one, "1.1.0")
	}
	return "true"
}

// selectors mostly guard what they read: an error of one ends the whole sequence.
func (m *maker) selectors(most int) (ret []resourceapi.DeviceSelector) {
	for range m.Intn(most + 1) {
		ret = append(ret, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: m.expression()}})
	}
	return ret
}

func (m *maker) classes() {
	for _, name := range []string{"any", "some"} {
		class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if name == "some" {
			class.Spec.Selectors = m.selectors(1)
		}
		m.world.Classes = append(m.world.Classes, class)
	}
}

func (m *maker) class() string {
	if m.chance(1500) {
		return "absent"
	}
	return pick(m, "any", "any", "some")
}

func (m *maker) tolerations() (ret []resourceapi.DeviceToleration) {
	for m.taints && m.chance(2) {
		t := resourceapi.DeviceToleration{Key: pick(m, "", "broken", "slow"), Operator: pick(m, resourceapi.DeviceTolerationOpExists, resourceapi.DeviceTolerationOpEqual, ""),
			Effect: pick(m, "", resourceapi.DeviceTaintEffectNoSchedule)}
		if t.Operator != resourceapi.DeviceTolerationOpExists {
			t.Value = pick(m, "", "yes")
		}
		ret = append(ret, t)
	}
	return ret
}

func (m *maker) wanted() *resourceapi.CapacityRequirements {
	if !m.shared || m.chance(2) {
		return nil
	}
	wanted := map[resourceapi.QualifiedName]resource.Quantity{}
	for range 1 + m.Intn(2) {
		wanted[pick(m, resourceapi.QualifiedName("memory"), "bandwidth")] = m.quantity(8)
	}
	if m.chance(30) {
		wanted["cores"] = m.quantity(2)
	}
	return &resourceapi.CapacityRequirements{Requests: wanted}
}

func (m *maker) mode() (resourceapi.DeviceAllocationMode, int64) {
	if m.chance(12) {
		return resourceapi.DeviceAllocationModeAll, 0
	}
	return resourceapi.DeviceAllocationModeExactCount, int64(pick(m, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, pick(m, 5, 6, 1+m.Intn(40))))
}

func (m *maker) request(name string) resourceapi.DeviceRequest {
	if m.chance(4) {
		r := resourceapi.DeviceRequest{Name: name}
		for i := range 1 + m.Intn(5) {
			mode, count := m.mode()
			r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{Name: fmt.Sprintf("alt-%d", i), DeviceClassName: m.class(),
				Selectors: m.selectors(1), AllocationMode: mode, Count: count, Tolerations: m.tolerations(), Capacity: m.wanted()})
		}
		return r
	}
	mode, count := m.mode()
	exact := &resourceapi.ExactDeviceRequest{DeviceClassName: m.class(), Selectors: m.selectors(2), AllocationMode: mode, Count: count,
		Tolerations: m.tolerations(), Capacity: m.wanted()}
	if m.chance(8) {
		exact.AdminAccess = pointer(true)
	}
	return resourceapi.DeviceRequest{Name: name, Exactly: exact}
}

func (m *maker) claim(name string) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)}}
	devices := &c.Spec.Devices
	for i := range 1 + m.Intn(3) {
		devices.Requests = append(devices.Requests, m.request(fmt.Sprintf("r%d", i)))
	}
	for range m.Intn(3) {
		constraint := resourceapi.DeviceConstraint{}
		if m.chance(2) {
			for range 1 + m.Intn(2) {
				request := pick(m, devices.Requests...)
				name := request.Name
				if len(request.FirstAvailable) > 0 && m.chance(2) {
					name += "/" + pick(m, request.FirstAvailable...).Name
				}
				constraint.Requests = append(constraint.Requests, name)
			}
		}
		attribute := pointer(resourceapi.FullyQualifiedName(pick(m, "a.example.com/kind", "a.example.com/numa", "b.example.com/root", "other.example.com/lane")))
		if m.chance(2) {
			constraint.MatchAttribute = attribute
		} else {
			constraint.DistinctAttribute = attribute
		}
		devices.Constraints = append(devices.Constraints, constraint)
	}
	return c
}

// ---- what is taken ----

func (m *maker) allocated() {
	for _, s := range m.world.Slices {
		for _, d := range s.Spec.Devices {
			if !m.chance(6) {
				continue
			}
			result := resourceapi.DeviceRequestAllocationResult{Request: "r", Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: d.Name}
			if d.AllowMultipleAllocations != nil {
				result.ShareID = pointer(types.UID(fmt.Sprintf("%08d-0000-0000-0000-000000000000", m.Intn(1e8))))
				for name := range d.Capacity {
					if result.ConsumedCapacity == nil {
						result.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{}
					}
					result.ConsumedCapacity[name] = m.quantityOf(name)
				}
			} else if m.chance(8) {
				result.AdminAccess = pointer(true)
			}
			claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("was-%d", len(m.world.Claims)), Namespace: "default"}}
			claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{result}}}
			m.world.Claims = append(m.world.Claims, claim)
		}
	}
}

// quantityOf does not depend on the order in which a map is read.
func (m *maker) quantityOf(name resourceapi.QualifiedName) resource.Quantity {
	return *resource.NewQuantity(int64(len(name)%3+1), resource.DecimalSI)
}

func (w *world) node() *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: node, Labels: w.Labels}}
}
