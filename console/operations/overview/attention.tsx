import { useContext } from 'react';
import * as format from '#console/ui/formats.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { ScreensContext } from '#console/ui/screens/screens-context.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { State, type Tone } from '#console/ui/state.tsx';
import type { OverviewData } from './overview.documents.ts';
import { overviewWords as w } from './overview.words.ts';

type Item = OverviewData['attention'][number];

const tones: Readonly<Record<string, Tone>> = { CRITICAL: 'failed', WARNING: 'waiting', INFO: 'cancelled' };

const severity = {
  text: ({ severity }: Item) => severity,
  draw: ({ severity }: Item) => <State value={severity} tone={tones[severity] ?? 'waiting'} />,
};

/** What needs a person; each opens what is wrong. */
export function Attention({ items }: { items: readonly Item[] }) {
  const { nounOf } = useContext(ScreensContext);
  const draw = ({ title, node, nodeId }: Item) => {
    const noun = node && nounOf(node.__typename);
    return noun ? (
      <ObjectLink noun={noun} id={nodeId}>
        {title}
      </ObjectLink>
    ) : (
      title
    );
  };
  return (
    <section className="section" aria-labelledby="attention">
      <h2 id="attention">{w.attention}</h2>
      {items.length === 0 ? (
        <p className="quiet">{w.allWell}</p>
      ) : (
        <Table<Item>
          label={w.attention}
          rows={items}
          columns={[
            { key: 'severity', label: w.severity, show: severity },
            { key: 'title', label: w.title, show: { text: ({ title }) => title, draw } },
            { key: 'message', label: w.message, show: format.text(({ message }) => message) },
            { key: 'since', label: w.since, show: format.time(({ since }) => since) },
          ]}
        />
      )}
    </section>
  );
}
