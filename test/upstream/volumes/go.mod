module sakkara/test/upstream/volumes

go 1.26.0
