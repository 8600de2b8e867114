import type { ExtensionSite } from '#test/themes/extension-site.ts';

/** Helpers to create the objects of a mutation. */
interface Making {
  mutate: (field: string, input: object) => Promise<unknown>;
  /** Runs a mutation and answers the id of the newest row of the table. */
  make: (field: string, input: object, table: string) => Promise<number>;
  /** A running extension of a name of its own, for acme/starter ^2.1.0. */
  site: () => Promise<ExtensionSite>;
}

/** The mutations of themes and extensions: what each needs, and `action resource_type` of what it writes. */
export function themeMutations({ mutate, make, site }: Making) {
  let count = 0;
  const newTheme = () => ({ theme: 'acme/starter', version: `2.1.${(count += 1)}`, title: 'Starter' });
  const theme = async () => {
    const { title: _title, ...registered } = newTheme();
    await mutate('registerTheme', { ...registered, title: 'Starter' });
    return registered;
  };
  const installed = async () => {
    const { theme: name, version } = await theme();
    await mutate('installTheme', { theme: name, version });
    return { theme: name };
  };
  const register = async ({ url }: ExtensionSite) => make('registerExtension', { url }, 'extensions');
  const published = async (at?: ExtensionSite) => {
    const id = await register(at ?? (await site()));
    await mutate('publishExtension', { id });
    return id;
  };
  const installation = async (at?: ExtensionSite) => {
    const extensionId = await published(at);
    await installed();
    return make('installExtension', { extensionId }, 'extension_installations');
  };
  const disabled = async () => {
    const id = await installation();
    await mutate('disableInstallation', { id });
    return id;
  };
  return {
    registerTheme: { input: newTheme, writes: ['register theme'] },
    installTheme: { input: theme, writes: ['install theme_installation'] },
    uninstallTheme: { input: installed, writes: ['uninstall theme_installation'] },
    registerExtension: { input: async () => ({ url: (await site()).url }), writes: ['register extension'] },
    publishExtension: { input: async () => ({ id: await register(await site()) }), writes: ['publish extension'] },
    rejectExtension: {
      input: async () => ({ id: await register(await site()), reason: 'It tracks visitors.' }),
      writes: ['reject extension'],
    },
    withdrawExtension: {
      input: async () => ({ id: await published(), block: true, reason: 'It tracks visitors.' }),
      writes: ['withdraw extension'],
    },
    installExtension: {
      input: async () => {
        const extensionId = await published();
        await installed();
        return { extensionId };
      },
      writes: ['install installation'],
    },
    upgradeInstallation: {
      input: async () => {
        const at = await site();
        const id = await installation(at);
        at.manifest = { ...at.manifest, version: '1.1.0' };
        return { id, extensionId: await published(at) };
      },
      writes: ['upgrade installation'],
    },
    disableInstallation: { input: async () => ({ id: await installation() }), writes: ['disable installation'] },
    enableInstallation: { input: async () => ({ id: await disabled() }), writes: ['enable installation'] },
    uninstallExtension: {
      input: async () => ({ installationId: await installation() }),
      writes: ['uninstall installation'],
    },
  };
}
