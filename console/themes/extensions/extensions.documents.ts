import { mutation, page } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';
import { ExtensionRow } from '#console/themes/extensions.documents.ts';
import { ComparedVersion, VersionRow } from '#console/themes/versions.documents.ts';

export const ExtensionDetail = graphql(
  `
  fragment ExtensionDetail on Extension {
    ...ExtensionRow ...ComparedVersion
    url reason
    installation { id extension { id version } viewerCan { upgrade } }
    versions { ...VersionRow }
  }
`,
  [ExtensionRow, ComparedVersion, VersionRow],
);

export const ExtensionPage = page('extension', ExtensionDetail);

/** The secret is asked for apart: the page is open all day, and beside others who look on. */
export const SecretOfExtension = graphql(`
  query SecretOfExtension($id: ID!) {
    extension(id: $id) { id requestSecret }
  }
`);

export const RegisterExtension = mutation('registerExtension', 'extension { ...ExtensionRow }', [ExtensionRow]);

export const PublishExtension = mutation('publishExtension', 'extension { ...ExtensionRow }', [ExtensionRow]);

export const RejectExtension = mutation('rejectExtension', 'extension { ...ExtensionRow }', [ExtensionRow]);

export const WithdrawExtension = mutation('withdrawExtension', 'extension { ...ExtensionRow }', [ExtensionRow]);

export const PinExtension = mutation('upgradeInstallation', 'installation { id }');

export const InstallExtension = mutation('installExtension', 'installation { id }');
