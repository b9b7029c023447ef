// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// longest are the tests that take long, in seconds on a real control plane, and why. They come first, so that no plane stands
// idle at the end while another has a long one still to do.
var longest = map[string]int{
	"TestSpotMix_IsExactAfterEverything":                       100, // an authority is replaced after a minute
	"TestD35_LargeGangsMeetNoCliff":                            90,  // 4,000 writes at 50 a second
	"TestReservations_AJobIsHeldToItsWord":                     90,  // a deadline, and what it is exceeded by
	"TestQueue_APlanWaitsForItsTurnInALongQueue":               60,  // 500 members, of which each is asked about for 80 ms
	"TestClaims_OfAnotherNamespaceDelayNoGang":                 60,  // hundreds of claims
	"TestDaemonKilledAtEveryWrite":                             45,  // about 25 lives of the daemon
	"TestPodRules_ThatThePlannerDoesNotKnowAreNamed":           40,  // two plans of 15 s have to fail
	"TestDaemonKilledInsideAnAbort":                            35,  // about 18 lives of the daemon
	"TestInstall_UpgradeWhileAGangIsBeingBound":                60,  // eight upgrades by helm
	"TestInstall_HelmLeavesARunningGangAlone":                  40,  // as many, and a control plane of its own
	"TestInstall_FromEveryReleaseAndBack":                      20,  // a control plane of its own
	"TestBeside_OCMAHundredPlacementsSettle":                   23,  // two hundred Placements, and rest of both
	"TestTwoGroupsCompeteForRoomOfOne":                         20,  // twenty rounds
	"TestOCM_TwoReplicas":                                      18,  // Leases run out
	"TestSchedulingGroup_JobsThatMakePodGroupsAreBound":        16,  // a control plane of its own
	"TestSchedulingGroup_AWaitingJobLeavesTheSchedulerInPeace": 15,
	"TestMapDeletedWhileBoundThenAMemberLost":                  14, // the Job controller waits ten seconds before it replaces a pod
	"TestDescribe_SaysWhyAMemberWaits":                         13, // members are told after five seconds
	"TestD33_HopelessGroupsDoNotSpin":                          13, // eight seconds of silence
	"TestD34_SlowAPIServerDoesNotStallScheduling":              13,
	"TestKarmada_AFleetInMotion":                               13,
	"TestSeatOfALostMemberIsHeld":                              12, // as above
	"TestHarness_JobsCountTheirPods":                           12,
	"TestD10_TerminalPodsFreeTheirSeats":                       12,
}

// planePool lets tests take turns: on real control planes, each of which has one test at a time and comes back empty, or,
// on the sandbox, beside so many others. A new control plane takes the place of one that does not come back empty.
type planePool struct {
	mu      sync.Mutex
	all     []*cluster.Plane // that were started
	folders int              // of these, and of those that did not start
	idle    []*cluster.Plane // nil ones on the sandbox
	waiting []*turn
	open    bool
	took    []string // times and name of the turns that are over
}

type turn struct {
	test    string
	seconds int
	plane   chan *cluster.Plane
	since   time.Time
}

var planes planePool

// gather is how long the first one waits for the others: go test lets all tests that run side by side go at once.
const gather = 500 * time.Millisecond

// take waits for the test's turn, which ends with the test.
func (p *planePool) take(t *testing.T) *cluster.Plane {
	mine := &turn{test: t.Name(), seconds: longest[topName(t)], plane: make(chan *cluster.Plane, 1)}
	p.mu.Lock()
	if p.waiting = append(p.waiting, mine); len(p.waiting) == 1 && !p.open {
		time.AfterFunc(gather, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.open = true
			p.serve()
		})
	}
	p.serve()
	p.mu.Unlock()
	plane := <-mine.plane
	used := planeCPU(plane)
	t.Cleanup(func() {
		took := fmt.Sprintf("%4.0f s, the plane %3.0f s of CPU: %s", time.Since(mine.since).Seconds(),
			(planeCPU(plane) - used).Seconds(), mine.test)
		next := p.next(t, plane)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.took = append(p.took, took)
		p.idle = append(p.idle, next)
		p.serve()
	})
	return plane
}

// next is the plane that serves the next test: this one if the test has left it empty.
func (p *planePool) next(t *testing.T, plane *cluster.Plane) *cluster.Plane {
	if plane == nil {
		return nil
	}
	err := plane.Empty()
	if err == nil {
		return plane
	}
	t.Logf("%s serves no further test: %v", plane.Dir, err)
	plane.Stop()
	other, err := p.start()
	if err != nil {
		t.Error(err)
		return plane
	}
	return other
}

// start starts one more control plane, in a folder of its own.
func (p *planePool) start() (*cluster.Plane, error) {
	p.mu.Lock()
	dir := filepath.Join(base, fmt.Sprintf("plane-%d", p.folders))
	p.folders++
	p.mu.Unlock()
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	plane, err := startPlane(dir, nil)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, plane)
	return plane, nil
}

// serve gives turns to those who take longest, of equals to who came first.
func (p *planePool) serve() {
	for p.open && len(p.idle) > 0 && len(p.waiting) > 0 {
		next := 0
		for i := range p.waiting {
			if p.waiting[i].seconds > p.waiting[next].seconds {
				next = i
			}
		}
		one := p.waiting[next]
		p.waiting = slices.Delete(p.waiting, next, next+1)
		one.since = time.Now()
		one.plane <- p.idle[0]
		p.idle = p.idle[1:]
	}
}

// planeCPU is the processor time of a shared control plane so far.
func planeCPU(plane *cluster.Plane) time.Duration {
	if plane == nil {
		return 0
	}
	server, etcd := plane.CPU()
	return server + etcd
}

// report tells what each turn took, longest first, since go test counts the time in which a test waits for its turn, too, and
// what the programs used that are over. run.sh keeps it.
func (p *planePool) report() {
	slices.Sort(p.took)
	slices.Reverse(p.took)
	for _, line := range p.took {
		fmt.Fprintln(os.Stderr, "turn:", line)
	}
	for name, used := range cluster.Ended() {
		if used > time.Second {
			fmt.Fprintf(os.Stderr, "turn: %s used %.0f s of CPU\n", name, used.Seconds())
		}
	}
}

// ownPlane starts a control plane that nobody else has, with options of its own, while it is the test's turn.
func ownPlane(t *testing.T, wanted cluster.PlaneOptions) *cluster.Plane {
	t.Helper()
	planeFor(t)
	plane, err := startPlane(t.TempDir(), &wanted)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	return plane
}
