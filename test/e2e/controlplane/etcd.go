// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

// runEtcd serves one member on loopback without fsync: the data lives as long as a test run.
func runEtcd() int {
	dir := flag.String("data-dir", "", "folder of the member's data")
	client := flag.String("listen-client-url", "http://127.0.0.1:2379", "where clients connect")
	peer := flag.String("listen-peer-url", "http://127.0.0.1:2380", "where peers would connect")
	flag.Parse()

	cfg := embed.NewConfig()
	// An embedded 3.6 logs every request unless the limit for slow ones is set; 3.5 knows no such setting.
	if flags, ok := any(cfg).(interface{ AddFlags(*flag.FlagSet) }); ok {
		settings := flag.NewFlagSet("etcd", flag.ContinueOnError)
		flags.AddFlags(settings)
		if err := settings.Set("warning-unary-request-duration", "1s"); err != nil {
			return etcdFailed(err)
		}
	}
	cfg.Dir = *dir
	cfg.LogLevel = "error"
	cfg.UnsafeNoFsync = true
	cfg.QuotaBackendBytes = 4 << 30
	clientURL, err := url.Parse(*client)
	if err != nil {
		return etcdFailed(err)
	}
	peerURL, err := url.Parse(*peer)
	if err != nil {
		return etcdFailed(err)
	}
	cfg.ListenClientUrls = []url.URL{*clientURL}
	cfg.AdvertiseClientUrls = cfg.ListenClientUrls
	cfg.ListenPeerUrls = []url.URL{*peerURL}
	cfg.AdvertisePeerUrls = cfg.ListenPeerUrls
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)

	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return etcdFailed(err)
	}
	defer etcd.Close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	select {
	case <-stop:
		return 0
	case err := <-etcd.Err():
		return etcdFailed(err)
	}
}

func etcdFailed(err error) int {
	fmt.Fprintln(os.Stderr, "etcd:", err)
	return 1
}
