// dagre copies plain layers of names with it; goja lacks it.
globalThis.structuredClone ??= (v) => JSON.parse(JSON.stringify(v));

// layout hands a graph to dagre and returns what it placed. Both are JSON; nodes are numbers. Layers run from left
// to right and are given: those of even number are columns of the drawing, those between them hold labels.
function layout(input) {
  const g = new dagre.graphlib.Graph({ multigraph: true });
  const columns = 1 + Math.max(...input.nodes.map((n) => n.column));
  const rank = (g) => g.nodes().forEach((v) => {
    const n = input.nodes[v];
    g.node(v).rank = n ? 2 * n.column : v === "end" ? 2 * columns - 1 : -1; // dagre adds a root and removes it again
  });
  g.setGraph({ rankdir: "LR", nodesep: input.nodesep, edgesep: input.edgesep, ranksep: input.ranksep, ranker: rank });
  // dagre's first sweep leaves the last layer as it is: this one, so that the constraints hold in all others.
  g.setNode("end", { width: 1, height: 1 });
  const constraints = []; // program order; dagre heeds them, but not always
  const customOrder = (g, order) => {
    order(g, { constraints });
    for (let c = 0; c < columns; c++) {
      const column = input.nodes.map((_, i) => g.node(String(i))).filter((_, i) => input.nodes[i].column === c);
      const slots = column.map((n) => n.order).sort((a, b) => a - b);
      column.forEach((n, i) => { n.order = slots[i]; });
    }
  };
  input.nodes.forEach((n, i) => {
    g.setNode(String(i), { width: n.width, height: n.height });
    input.nodes.forEach((m, j) => {
      if (i < j && n.column === m.column) constraints.push({ left: String(i), right: String(j) });
    });
  });
  input.edges.forEach((e, i) => g.setEdge(String(e.from), String(e.to),
    { width: e.width, height: e.height, labelpos: "c" }, String(i)));
  dagre.layout(g, { customOrder });
  return JSON.stringify({
    width: Math.max(...input.nodes.map((n, i) => g.node(String(i)).x + n.width / 2)),
    nodes: input.nodes.map((_, i) => g.node(String(i))).map((n) => ({ x: n.x, y: n.y })),
    edges: input.edges.map((e, i) => {
      const d = g.edge(String(e.from), String(e.to), String(i));
      return { points: d.points.map((p) => ({ x: p.x, y: p.y })), label: { x: d.x, y: d.y } };
    }),
  });
}
