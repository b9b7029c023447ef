module sakkara/test/e2e/suite

go 1.26

require (
	github.com/moby/spdystream v0.5.1
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.2 // indirect
