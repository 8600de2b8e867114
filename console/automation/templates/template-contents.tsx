import { FlowGraph } from '#console/automation/flow/flow-graph.tsx';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import type { Column } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { readParts, type TemplateNode } from './template-parts.ts';
import { templateWords as w } from './templates.words.ts';

interface Props {
  blob: unknown;
  placeholders: readonly { key: string; label: string }[];
}

/** Shows the workflow of a template as a graph and a table of its nodes. Its JSON is folded away. */
export function TemplateContents({ blob, placeholders }: Props) {
  const { nodes, links } = readParts(blob);
  const labels = new Map(placeholders.map(({ key, label }) => [key, label]));
  const columns: readonly Column<TemplateNode>[] = [
    { key: 'node', label: w.node, show: format.text((node) => node.path) },
    { key: 'kind', label: w.nodeKind, show: format.handle((node) => node.kind) },
    { key: 'version', label: w.version, show: format.text((node) => node.version) },
    {
      key: 'open',
      label: w.asks,
      show: format.text(({ open }) => open.map((key) => labels.get(key) ?? key).join(', ')),
    },
  ];
  return (
    <>
      <FlowGraph
        label={w.blob}
        nodes={nodes.map(({ path, id }) => ({ path, name: id, isStatic: true }))}
        links={links}
      />
      <Table rows={nodes} columns={columns} label={w.nodes} />
      <details>
        <summary>{w.json}</summary>
        <JsonTree value={blob} />
      </details>
    </>
  );
}
