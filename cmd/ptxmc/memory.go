package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// defaultMemory is what a search may use if nothing is said: three quarters of the machine's memory,
// or 4 GB where that cannot be read.
func defaultMemory() uint64 {
	const fallback = 4 << 30
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return fallback
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if rest, ok := strings.CutPrefix(sc.Text(), "MemTotal:"); ok {
			var kb uint64
			if _, err := fmt.Sscanf(rest, "%d kB", &kb); err == nil && kb > 0 {
				return kb << 10 / 4 * 3
			}
		}
	}
	return fallback
}
