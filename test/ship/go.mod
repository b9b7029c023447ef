module sakkara/test/ship

go 1.26

require (
	sakkara/test/e2e/suite v0.0.0
	sigs.k8s.io/yaml v1.6.0
)

require (
	github.com/moby/spdystream v0.5.1 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
)

replace sakkara/test/e2e/suite => ../e2e/suite
