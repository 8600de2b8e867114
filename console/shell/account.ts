import type { DocsPageName } from '#console/docs/pages.ts';
import type { Me } from '#console/graph/viewer.documents.ts';

export interface AccountProps {
  me: Me;
  /** The page of the documentation about what is shown. */
  docs: DocsPageName | undefined;
}

/** How the user is called: by name, else by address, else as the identity provider does. */
export const userName = ({ user }: Me): string => user.name ?? user.email ?? user.idpId;
