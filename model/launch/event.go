package launch

// EventWhen says when an event that is recorded with a launch fires (CUDA runtime,
// cudaLaunchAttributeProgrammaticEvent; CUDA guide 4.6.5).
type EventWhen uint8

// The moments at which an event fires.
const (
	WhenCompleted EventWhen = iota // an ordinary event: the grid has completed
	WhenTriggered                  // a programmatic event: every CTA has triggered or exited
	WhenStarted                    // the same with triggerAtBlockStart: every CTA triggers as it starts
)

// eventMoments are the words behind `when`, by EventWhen.
var eventMoments = []string{"completed", "triggered", "started"}

// eventWhen reads "when triggered"; without it an event is an ordinary one.
func (c *cursor) eventWhen() EventWhen {
	if !c.keyword("when") {
		return WhenCompleted
	}
	at, w := c.here(), c.peekIdent()
	for i, m := range eventMoments {
		if c.keyword(m) {
			return EventWhen(i)
		}
	}
	at.fail("found %s; expected %s%s", c.next(), oneOf(eventMoments, ""), didYouMean(w, eventMoments))
	return 0
}

// events finds the launches whose events the launch waits for, and takes note of its own.
func (r *resolver) events(g *Launch, d *launchDecl) {
	if g.Event = d.event; g.Event != "" {
		g.When = d.when
		for _, o := range r.c.Plan.Launches {
			if o.Event == g.Event {
				d.eventAt.fail("event %s is already recorded by launch %s on line %d; expected another name; rename one", g.Event, o.Name, o.Pos.Line)
			}
		}
	}
	var names []string
	for _, o := range r.c.Plan.Launches {
		if o.Event != "" {
			names = append(names, o.Event)
		}
	}
	seen := map[string]bool{}
	for _, e := range d.after {
		if seen[e.name] {
			e.at.fail("event %s is waited for twice; expected it once; take one away", e.name)
		}
		seen[e.name] = true
		found := -1
		for i, o := range r.c.Plan.Launches {
			if o.Event == e.name {
				found = i
			}
		}
		if found < 0 {
			e.at.fail("no launch above records event %s; expected %s; add event %s to the launch that it waits for%s",
				e.name, oneOf(names, "a launch with an event, but there is none"), e.name, didYouMean(e.name, names))
		}
		g.After = append(g.After, found)
		r.awaited[e.name] = true
	}
}

// unusedEvents refuses an event that nothing waits for: it has no effect.
func (r *resolver) unusedEvents() {
	for _, l := range r.ofKind("launch") {
		if d := l.decl.(*launchDecl); d.event != "" && !r.awaited[d.event] {
			d.eventAt.fail("nothing waits for event %s; expected a launch below with after %s; add it, or take the event away", d.event, d.event)
		}
	}
}
