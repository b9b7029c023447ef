module sakkara/test/upstream/record

go 1.26.0
