import type { ResultOf } from '#console/graph/graphql.ts';
import { extensionColumns, handleOf } from '#console/themes/extension-columns.ts';
import { Extensions } from '#console/themes/extensions.documents.ts';
import { themeWords } from '#console/themes/themes.words.ts';
import * as format from '#console/ui/formats.tsx';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { type Column, detail, list, nestedList, type Screens } from '#console/ui/screens/screen.ts';
import { themeListWords as w } from './registry.words.ts';
import { InstallTheme, RegisterTheme, ThemePage, type ThemeRow, Themes, UninstallTheme } from './themes.documents.ts';

type Theme = ResultOf<typeof ThemeRow>;

const nameOf = ({ title, version }: Theme): string => w.name(title, version);

/** Nothing where the tenant has another version, or none. */
const installed = ({ installation }: Theme): string => (installation ? 'INSTALLED' : '');

const version: Column<Theme> = {
  key: 'version',
  label: themeWords.version,
  show: format.text((theme) => theme.version),
  width: '112px',
};

const themeList = list('themes', Themes, {
  columns: [
    { key: 'name', label: themeWords.theme, show: format.text((theme) => theme.title), width: 'minmax(144px, 2fr)' },
    { key: 'handle', label: themeWords.handle, show: format.text(handleOf), width: 'minmax(144px, 2fr)' },
    version,
    { key: 'here', label: w.here, show: format.state(installed) },
    { key: 'registered', label: themeWords.registered, show: format.time((theme) => theme.createdAt) },
  ],
  filters: [{ kind: 'text', key: 'q', member: 'search', label: themeWords.search }],
  actions: [
    {
      key: 'register',
      label: w.register,
      document: RegisterTheme,
      form: { fields: ['theme', 'version', 'title'] },
      done: w.registered,
      opens: (payload) => ({ noun: 'themes', id: (payload['theme'] as Theme).id }),
    },
  ],
  empty: w.empty,
});

const extensionsOfTheme = nestedList(Extensions, ({ extensions }) => extensions, {
  columns: extensionColumns.filter(({ key }) => key !== 'type'),
  open: ({ id }) => ({ noun: 'extensions', id }),
  empty: w.noExtensions,
});

const themePage = detail('theme', ThemePage, {
  title: nameOf,
  state: installed,
  facts: [
    { key: 'handle', label: themeWords.handle, show: format.handle(handleOf) },
    version,
    { key: 'registered', label: themeWords.registered, show: format.exactTime((theme) => theme.createdAt) },
    { key: 'installed', label: w.installedAt, show: format.exactTime((theme) => theme.installation?.createdAt) },
  ],
  sections: [
    {
      key: 'extensions',
      title: w.extensions,
      draw: (theme) => (
        <NestedList
          screen={extensionsOfTheme}
          variables={{ filter: { theme: handleOf(theme) } }}
          label={w.extensions}
        />
      ),
    },
  ],
  actions: [
    {
      key: 'install',
      label: w.install,
      document: InstallTheme,
      allowed: (theme) => theme.viewerCan.install && !theme.installation,
      input: (theme) => ({ theme: handleOf(theme), version: theme.version }),
      confirm: (theme) => w.installConfirm(nameOf(theme)),
      done: w.installed,
    },
    {
      key: 'uninstall',
      label: w.uninstall,
      document: UninstallTheme,
      allowed: (theme) => theme.installation?.viewerCan.uninstall ?? false,
      input: (theme) => ({ theme: handleOf(theme) }),
      confirm: (theme) => w.uninstallConfirm(nameOf(theme)),
      isDanger: true,
      done: w.uninstalled,
    },
  ],
});

export const themes: Screens = { list: themeList, detail: themePage };
