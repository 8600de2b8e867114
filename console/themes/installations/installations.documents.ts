import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';
import { ComparedVersion, VersionRow } from '#console/themes/versions.documents.ts';

export const InstallationRow = graphql(`
  fragment InstallationRow on Installation {
    id status whyHidden createdAt updatedAt
    extension { id vendor name version title }
    viewerCan { disable enable upgrade uninstall }
  }
`);

export const Installations = rows('installations', InstallationRow);

export const InstallationDetail = graphql(
  `
  fragment InstallationDetail on Installation {
    ...InstallationRow
    extension {
      ...VersionRow ...ComparedVersion
      versions { ...VersionRow }
    }
  }
`,
  [InstallationRow, ComparedVersion, VersionRow],
);

export const InstallationPage = page('installation', InstallationDetail);

export const UpgradeInstallation = mutation('upgradeInstallation', 'installation { ...InstallationRow }', [
  InstallationRow,
]);

export const DisableInstallation = mutation('disableInstallation', 'installation { ...InstallationRow }', [
  InstallationRow,
]);

export const EnableInstallation = mutation('enableInstallation', 'installation { ...InstallationRow }', [
  InstallationRow,
]);

export const UninstallExtension = mutation('uninstallExtension', 'installation { ...InstallationRow }', [
  InstallationRow,
]);
