.PHONY: build test lint bench fuzz soak specs ptxas-check clean

build:
	go build -o bin/ptxmc ./cmd/ptxmc

test:
	go test ./...

lint:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "not formatted:"; echo "$$bad"; exit 1; fi
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

bench:
	go test -run '^$$' -bench . -benchmem ./explore

fuzz:
	go test -run '^$$' -fuzz '^FuzzParse$$' -fuzztime 30s ./model/ptx
	go test -run '^$$' -fuzz '^FuzzLoad$$' -fuzztime 30s ./model/launch

# Compares the machine with the axioms on 210,000 random litmus tests; some ten minutes.
soak:
	go test ./explore -run MachineEqualsOracle -rapid.checks=10500 -timeout 120m

specs:
	go run ./cmd/ptxmc verify specs

# Assembles every spec, rule and variant; installs NVIDIA's assembler into .ptxas (or PTXAS=PATH).
ptxas-check:
	go run ./internal/cmd/ptxascheck

clean:
	rm -rf bin
