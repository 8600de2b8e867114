import { themeExtensionsV1Schema } from '#src/themes/manifest/theme-extensions.v1.schema.ts';
import { manifestTypes } from './manifest-types.ts';

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** The name of a new extension, and the theme of its blocks. */
export interface NewExtension {
  vendor: string;
  name: string;
  /** `<vendor>/<name>` */
  theme: string;
  /** The npm specifier of the kit. */
  kit: string;
}

/** The files of a new extension, by path: one block with two settings, a stylesheet and a custom element. */
export function extensionFiles(extension: NewExtension): Record<string, string> {
  const { vendor, name } = extension;
  const element = `${vendor}-greeting`;
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
  const manifest = newManifest(extension, title);
  return {
    'theme-extensions.json': json(manifest),
    'theme-extensions.schema.json': json(themeExtensionsV1Schema),
    'theme-extensions.d.json.ts': manifestTypes(manifest),
    'islands.ts': islands(element),
    'server.ts': server,
    [`assets/${name}.css`]: stylesheet(element),
    [`assets/${name}.js`]: script(element),
    'package.json': json(packageJson(extension)),
    'tsconfig.json': json(tsconfig),
    'README.md': readme(title),
  };
}

const newManifest = ({ vendor, name, theme }: NewExtension, title: string) => ({
  // Beside it, so that editors find it without a server and before anything is installed.
  $schema: './theme-extensions.schema.json',
  kind: 'theme-extension',
  vendor,
  name,
  version: '0.1.0',
  title,
  type: 'private',
  target: { theme, version: '>=1.0.0' },
  blocks: [
    {
      id: 'greeting',
      island: 'Greeting',
      title: 'Greeting',
      description: 'A heading that can be waved at.',
      enabledOn: ['page', 'product'],
      settings: {
        heading: { type: 'text', label: 'Heading', default: 'Hello' },
        tone: { type: 'radios', label: 'Tone', options: { calm: 'Calm', loud: 'Loud' }, default: 'calm' },
      },
      javascript: true,
    },
  ],
  assets: { stylesheet: `/assets/${name}.css`, javascript: `/assets/${name}.js` },
});

const islands = (element: string): string => `import type { Islands } from '@causeway/extension-kit';
import { html } from '@causeway/extension-kit/html';
import type manifest from './theme-extensions.json';

/** One function for each island of the manifest. Its props are the values of the block's settings. */
export const islands: Islands<typeof manifest> = {
  Greeting: ({ heading, tone }) => html\`
    <section class="${element} ${element}--\${tone}">
      <h2>\${heading}</h2>
      <${element} data-name="\${heading}"></${element}>
    </section>
  \`,
};
`;

const server = `import { createServer } from 'node:http';
import { createExtension } from '@causeway/extension-kit';
import { islands } from './islands.ts';
import manifest from './theme-extensions.json' with { type: 'json' };

const extension = await createExtension({
  root: new URL('.', import.meta.url),
  manifest,
  islands,
  // The platform signs its requests with it. Without it, islands refuse all requests.
  secret: process.env.EXTENSION_SECRET ?? [],
});
// Props are in the query; those of 8 KiB, escaped, are longer than Node takes by default.
const server = createServer({ maxHeaderSize: 32 * 1024 }, extension.handle);
server.listen(Number(process.env.PORT ?? 4600), process.env.HOST ?? '127.0.0.1');
`;

const stylesheet = (element: string): string => `.${element} {
  padding: var(--space, 1rem);
  color: var(--color-text, inherit);
}

.${element}--loud {
  text-transform: uppercase;
}
`;

const script = (element: string): string => `class Greeting extends HTMLElement {
  connectedCallback() {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Wave';
    button.addEventListener('click', () => {
      button.textContent = \`\${this.dataset.name} waves back\`;
    });
    this.replaceChildren(button);
  }
}

customElements.define('${element}', Greeting);
`;

const packageJson = ({ vendor, name, kit }: NewExtension) => ({
  name: `${vendor}-${name}`,
  version: '0.1.0',
  private: true,
  type: 'module',
  scripts: { start: 'node server.ts' },
  // Node from 22.18 runs TypeScript; `npm start` takes this one, whatever the machine has.
  dependencies: { '@causeway/extension-kit': kit, node: '^24.0.0' },
  devDependencies: { '@types/node': '^24.0.0', typescript: '^5.9.0' },
});

const tsconfig = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    skipLibCheck: true,
    strict: true,
    noEmit: true,
    resolveJsonModule: true,
    allowArbitraryExtensions: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
  },
};

const readme = (title: string): string => `# ${title}

    causeway extension dev .        serve it, with a page that shows each block; changes reload
    causeway extension validate .   check it as its registration would
    causeway extension hash .       the integrity of its assets
    npm install && npm start        serve it (PORT, HOST, EXTENSION_SECRET)
    causeway extension register <address>

In Causeway's repository, run them from its root, with this folder's path for the dot:
\`npm run -s causeway -- extension dev <folder>\`.
`;
