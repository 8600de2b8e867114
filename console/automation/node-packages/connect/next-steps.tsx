import { ListLink, ObjectLink } from '#console/ui/object-link.tsx';
import type { Published } from './api.ts';
import { connectWords as w } from './connect.words.ts';

/**
 * The next steps after a package is published: credentials of its types, and workflows with its nodes. An operator outside of all tenants has
 * neither, so there are no links.
 */
export function NextSteps({
  published: { created, warning, nodePackage },
  isInTenant,
}: {
  published: Published;
  isInTenant: boolean;
}) {
  const { name, version, credentialTypes } = nodePackage;
  return (
    <section className="section connect-next" aria-labelledby="connect-next">
      <p role="status">{created ? w.published(name, version) : w.same(name, version)}</p>
      {warning !== null && <p className="refusal">{warning}</p>}
      <h3 id="connect-next">{w.next}</h3>
      {!isInTenant ? (
        <p>{w.inTenants(credentialTypes.map(({ name: type }) => type))}</p>
      ) : (
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
      )}
      <p className="quiet">{w.outdated}</p>
    </section>
  );
}
