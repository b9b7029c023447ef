module sakkara/test/e2e/suite

go 1.26
