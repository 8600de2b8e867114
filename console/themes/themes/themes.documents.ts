import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const ThemeRow = graphql(`
  fragment ThemeRow on Theme {
    id vendor name version title createdAt
    installation { id createdAt viewerCan { uninstall } }
    viewerCan { install }
  }
`);

export const Themes = rows('themes', ThemeRow);

export const ThemePage = page('theme', ThemeRow);

export const RegisterTheme = mutation('registerTheme', 'theme { ...ThemeRow }', [ThemeRow]);

export const InstallTheme = mutation('installTheme', 'themeInstallation { id theme { ...ThemeRow } }', [ThemeRow]);

export const UninstallTheme = mutation('uninstallTheme', 'themeInstallation { id }');
