// SPDX-License-Identifier: Apache-2.0

// Command devices chooses devices for random pods on random nodes with kube-scheduler's own allocator, as a
// Go module, and with core/devices of this repository (ours/ours.c), and compares the devices pod by pod.
//
//	devices -ours build/obj/test/upstream/devices/ours/ours -n 4000 -seed 1 -version 36
//
// go.mod has the allocator of Kubernetes 1.36, next.mod that of 1.37. A search that takes kube-scheduler more
// than a second, or more steps than core/devices permits, is not compared.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, errors.New("not found")
}

// take counts an allocation as kube-scheduler does (allocateddevices.go).
func take(state *structured.AllocatedState, results []resourceapi.DeviceRequestAllocationResult) {
	for _, r := range results {
		if r.AdminAccess != nil && *r.AdminAccess {
			continue
		}
		id := structured.MakeDeviceID(r.Driver, r.Pool, r.Device)
		if r.ShareID == nil {
			state.AllocatedDevices.Insert(id)
			continue
		}
		state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, r.ShareID))
		if r.ConsumedCapacity != nil {
			state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, r.ConsumedCapacity))
		}
	}
}

var selectors = cel.NewCache(100, cel.Features{EnableConsumableCapacity: true})

var verbose = flag.Bool("v", false, "print the errors of the allocator")

// decide returns "" if the allocator takes more than a second: these searches are not compared.
func decide(w *world) (string, error) {
	state := structured.AllocatedState{AllocatedDevices: sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.NewConsumedCapacityCollection()}
	features := structured.Features{AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true,
		DeviceBindingAndStatus: true, ConsumableCapacity: true}
	if on := reflect.ValueOf(&features).Elem().FieldByName("FractionalCapacityRange"); on.IsValid() {
		on.SetBool(true) // from 1.37 on
	}
	for _, c := range w.Claims {
		take(&state, c.Status.Allocation.Devices.Results)
	}
	text := ""
	for range w.Most {
		allocator, err := structured.NewAllocator(context.Background(), features, state, classes(w.Classes), w.Slices, selectors)
		if err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		results, err := allocator.Allocate(ctx, w.node(), w.Pod)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return "", nil
		}
		if errors.Is(err, structured.ErrFailedAllocationOnNode) {
			results, err = nil, nil
		}
		if err != nil {
			if *verbose {
				fmt.Fprintln(os.Stderr, w.seed, err)
			}
			return text + "error", nil
		}
		if len(results) != len(w.Pod) {
			return text + "none", nil
		}
		for _, result := range results {
			for _, r := range result.Devices.Results {
				text += fmt.Sprintf("%s/%s/%s ", r.Driver, r.Pool, r.Device)
			}
			take(&state, result.Devices.Results)
		}
		text += "| "
	}
	return text + "most", nil
}

func main() {
	program := flag.String("ours", "", "the program to compare")
	n := flag.Int("n", 4000, "random nodes")
	seed := flag.Int64("seed", 1, "of the first; each one has the next number")
	version := flag.Int("version", 36, "minor of Kubernetes, that of the module")
	record := flag.Bool("record", false, "print each node with the answer of both instead")
	flag.Parse()
	ours := exec.Command(*program)
	ours.Stderr = os.Stderr
	in, _ := ours.StdinPipe()
	out, _ := ours.StdoutPipe()
	if err := ours.Start(); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	lines := bufio.NewReader(out)
	counts := map[string]int{}
	wrong := 0
	for i := 0; i < *n && wrong < 5; i++ {
		w := newWorld(*seed+int64(i), *version)
		theirs, err := decide(w)
		if err != nil {
			fmt.Println(err)
			os.Exit(2)
		}
		text, _ := json.Marshal(w)
		fmt.Fprintf(in, "%s\n", text)
		line, err := lines.ReadString('\n')
		if err != nil {
			fmt.Printf("seed %d: %v\n%s\n", w.seed, err, text)
			os.Exit(2)
		}
		line = strings.TrimSpace(line)
		switch {
		case line == theirs && *record:
			fmt.Printf("%s\t%s\n", line, text)
		case line == theirs:
			counts[line[strings.LastIndex(line, " ")+1:]]++
		case theirs == "" || strings.HasPrefix(line, "unmodelled: the search"):
			counts["left out: too many steps"]++
		default:
			wrong++
			fmt.Printf("seed %d: 1.%d chooses\n  %s\nand here\n  %s\n%s\n", w.seed, *version, theirs, line, text)
		}
	}
	in.Close()
	ours.Wait()
	if *record && wrong == 0 {
		return
	}
	fmt.Printf("devices 1.%d:", *version)
	same := 0
	keys := []string{}
	for key, count := range counts {
		keys = append(keys, key)
		same += count
	}
	slices.Sort(keys)
	for _, key := range keys {
		fmt.Printf(" %d %s", counts[key], key)
	}
	fmt.Printf("\n%d passed, %d failed\n", same, wrong)
	if wrong > 0 {
		os.Exit(1)
	}
}
