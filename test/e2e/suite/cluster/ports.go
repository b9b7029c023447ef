// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
)

// Ports lie below the range from which the kernel picks the ports of outgoing connections.
const (
	firstPort  = 20000
	portBlocks = 12
	blockPorts = 1000
)

// portBlock is the first port of a block that no other test program on this machine uses while this one runs: a port is
// free for a moment between its choice and its use, and while a daemon is down. When all blocks are taken, it is any.
var portBlock = sync.OnceValue(func() int {
	for _, block := range rand.Perm(portBlocks) {
		path := filepath.Join(os.TempDir(), fmt.Sprintf("sakkara-e2e-ports-%d.lock", block))
		file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_CLOEXEC, 0o666)
		if err != nil {
			continue
		}
		if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			portsLock = file
			return firstPort + block*blockPorts
		}
		file.Close()
	}
	return firstPort + rand.IntN(portBlocks)*blockPorts
})

// portsLock is held open, and with it the lock, until the program ends.
var portsLock *os.File

var portsGiven atomic.Int64

// FreePort finds a TCP port of our block that nobody listens on; a port comes again only after all others of the block.
func FreePort() int {
	for {
		port := portBlock() + int(portsGiven.Add(1))%blockPorts
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			listener.Close()
			return port
		}
	}
}
