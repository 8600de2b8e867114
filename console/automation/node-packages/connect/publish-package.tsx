import { useId, useState } from 'react';
import { useClient, useQuery } from 'urql';
import { mutate, type MutationDocument, type MutationRefusal } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import { type Api, type Comparison, type Published, type Source, toChoice } from './api.ts';
import { ComparisonView } from './comparison-view.tsx';
import { CompareApi, CreateNodePackage, Publishers } from './connect.documents.ts';
import { connectWords as w } from './connect.words.ts';
import { NextSteps } from './next-steps.tsx';

/** Names the package, compares it with its published version, and publishes it. */
export function PublishPackage({ api, source, chosen }: { api: Api; source: Source; chosen: ReadonlySet<string> }) {
  const id = useId();
  const client = useClient();
  const [{ data }] = useQuery({ query: Publishers });
  const orgs = data?.me.orgs ?? [];
  const [org, setOrg] = useState<string>();
  const [namespace, setNamespace] = useState(api.namespace);
  const [busy, setBusy] = useState<'compare' | 'publish'>();
  const [refusal, setRefusal] = useState<MutationRefusal>();
  const [comparison, setComparison] = useState<Comparison>();
  const [published, setPublished] = useState<Published>();
  const orgId = org ?? orgs[0]?.slug;
  const run = async (task: 'compare' | 'publish', document: MutationDocument) => {
    setBusy(task);
    setRefusal(undefined);
    setComparison(undefined);
    const answer = await mutate(client, document, {
      orgId,
      source,
      choose: toChoice(api, chosen),
      namespace: namespace.trim(),
    });
    setBusy(undefined);
    if (answer.refusal) setRefusal(answer.refusal);
    else if (task === 'compare') setComparison(answer.payload['comparison'] as Comparison);
    else setPublished(answer.payload as unknown as Published);
  };
  const isReady = chosen.size > 0 && namespace.trim() !== '' && orgId !== undefined;
  const fault = refusal?.fields['namespace'];
  return (
    <>
      <div className="connect-filter">
        {orgs.length > 1 && (
          <div className="field">
            <label htmlFor={`${id}-org`}>{w.organisation}</label>
            <select id={`${id}-org`} className="input" value={orgId} onChange={({ target }) => setOrg(target.value)}>
              {orgs.map(({ slug, name }) => (
                <option key={slug} value={slug}>
                  {name}
                </option>
              ))}
            </select>
          </div>
        )}
        <div className={fault ? 'field field-wrong' : 'field'}>
          <label htmlFor={`${id}-namespace`}>{w.namespace}</label>
          <input
            id={`${id}-namespace`}
            className="input"
            maxLength={63}
            aria-invalid={fault !== undefined}
            aria-describedby={`${id}-help`}
            value={namespace}
            onChange={({ target }) => setNamespace(target.value)}
          />
          {fault && <p className="field-error">{fault}</p>}
        </div>
      </div>
      <p id={`${id}-help`} className="field-help">
        {w.namespaceHelp}
      </p>
      <div className="panel-actions">
        <Button
          isDisabled={!isReady || busy === 'publish'}
          isBusy={busy === 'compare'}
          onPress={() => void run('compare', CompareApi)}
        >
          {w.compare}
        </Button>
        <Button
          kind="main"
          isDisabled={!isReady || busy === 'compare'}
          isBusy={busy === 'publish'}
          onPress={() => void run('publish', CreateNodePackage)}
        >
          {w.publish(chosen.size)}
        </Button>
      </div>
      {refusal && !fault && (
        <p className="refusal" role="alert">
          {Object.values(refusal.fields).join(' ') || refusal.message}
        </p>
      )}
      {comparison && <ComparisonView comparison={comparison} />}
      {published && <NextSteps published={published} isInTenant={data?.me.context.tenantId != null} />}
    </>
  );
}
