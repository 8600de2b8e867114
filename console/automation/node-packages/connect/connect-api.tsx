import { useState } from 'react';
import { ListLink } from '#console/ui/object-link.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { loadStylesheet } from '#console/ui/stylesheet.ts';
import type { Api, Source } from './api.ts';
import { connectWords as w } from './connect.words.ts';
import { OperationList } from './operation-list.tsx';
import { PublishPackage } from './publish-package.tsx';
import { SourceForm } from './source-form.tsx';
import connectStyles from '#console/ui/styles/connect.css?url';

await loadStylesheet(new URL(connectStyles, import.meta.url).href);

/** Makes nodes from the description of an API: give it, choose operations, publish. */
export function ConnectApi() {
  const [read, setRead] = useState<{ api: Api; source: Source; number: number }>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const done = (api: Api, source: Source) => {
    setRead({ api, source, number: (read?.number ?? 0) + 1 });
    setChosen(new Set());
  };
  return (
    <div className="new-import">
      <header className="page-head">
        <div className="page-title">
          <PageHeading text={w.title} />
          <span className="page-actions">
            <ListLink noun="node-packages" className="button">
              {w.leave}
            </ListLink>
          </span>
        </div>
        <p className="quiet">{w.about}</p>
      </header>
      <section className="section" aria-labelledby="connect-source">
        <h2 id="connect-source">{w.source}</h2>
        <SourceForm done={done} />
        {read && <ApiFacts api={read.api} />}
      </section>
      {read && (
        <>
          <section className="section" aria-labelledby="connect-operations">
            <h2 id="connect-operations">{w.operations}</h2>
            <OperationList key={read.number} api={read.api} chosen={chosen} choose={setChosen} />
          </section>
          <section className="section" aria-labelledby="connect-package">
            <h2 id="connect-package">{w.package}</h2>
            <PublishPackage key={read.number} api={read.api} source={read.source} chosen={chosen} />
          </section>
        </>
      )}
    </div>
  );
}

function ApiFacts({
  api: { title, namespace, kind, version, servers, credentialTypes, operationCount },
}: {
  api: Api;
}) {
  const facts = [
    [w.kind, kind],
    [w.version, version || '–'],
    [w.servers, servers.slice(0, 5).join(', ') || w.none],
    [w.credentials, credentialTypes.map(({ name }) => name.split(': ').at(-1)).join(', ') || w.none],
  ] as const;
  return (
    <>
      <p role="status">
        <b>{w.wasRead(title || namespace, operationCount)}</b>
      </p>
      <dl className="connect-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt className="quiet">{label}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
