import { ListLink, ObjectLink } from '#console/ui/object-link.tsx';
import type { Published } from './api.ts';
import { connectWords as w } from './connect.words.ts';

/** Links to the next steps after a package is published: credentials of its types, and workflows with its nodes. */
export function NextSteps({ published: { created, warning, nodePackage } }: { published: Published }) {
  const { name, version, credentialTypes } = nodePackage;
  return (
    <section className="section connect-next" aria-labelledby="connect-next">
      <p role="status">{created ? w.published(name, version) : w.same(name, version)}</p>
      {warning !== null && <p className="refusal">{warning}</p>}
      <h3 id="connect-next">{w.next}</h3>
      <ul>
        {credentialTypes.map(({ slug, name: type }) => (
          <li key={slug}>
            <ObjectLink noun="credentials" id="new" search={{ type: slug }}>
              {w.addCredential(type)}
            </ObjectLink>
          </li>
        ))}
        <li>
          <ListLink noun="workflows">{w.openWorkflows}</ListLink>
        </li>
      </ul>
      <p className="quiet">{w.outdated}</p>
    </section>
  );
}
