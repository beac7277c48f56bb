package explore

import (
	"testing"

	"ptxmc/memmodel/cat"
	"ptxmc/memmodel/models"
)

func tempModel(t testing.TB) *cat.Model {
	m, err := cat.Parse("temp.cat", `"temp"
include "ptx-7.5.cat"
let rmws = domain(rmw) | range(rmw) | RED
let late = (R & (WEAK | RLX)) \ rmws
let binding = F | B | (M & (ACQ | REL))
let performed = ([~late]; po) | ([late]; (addr | data | ctrl | (po; [binding])); po?)
acyclic rf | performed | (sync_barrier; po) | sync_fence as A1
`, models.Text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
