import type { BlockOf, Islands, Manifest, PropsOf, SettingValues } from '@causeway/extension-kit';
import { describe, expectTypeOf, test } from 'vitest';
import type { Manifest as PlatformManifest } from '#src/themes/manifest/manifest.ts';

const manifest = {
  kind: 'theme-extension',
  vendor: 'acme',
  name: 'reviews',
  version: '1.0.0',
  title: 'Reviews',
  target: { theme: 'acme/starter', version: '^1.0.0' },
  blocks: [
    {
      id: 'stars',
      island: 'Stars',
      title: 'Stars',
      enabledOn: ['product'],
      settings: {
        heading: { type: 'text', label: 'Heading', default: 'Reviews' },
        note: { type: 'text', label: 'Note' },
        unit: { type: 'radios', label: 'Unit', options: { stars: 'Stars', hearts: 'Hearts' }, default: 'stars' },
        most: { type: 'range', label: 'Most', min: 1, max: 10, default: 5 },
        height: { type: 'number', label: 'Height' },
        open: { type: 'checkbox', label: 'Open', default: false },
        colour: { type: 'color', label: 'Colour', default: '#fa0' },
      },
    },
    { id: 'list', island: 'List', title: 'List', enabledOn: ['page'] },
    {
      id: 'list_of_one',
      island: 'List',
      title: 'One',
      enabledOn: ['page'],
      settings: { sku: { type: 'text', label: 'SKU' } },
    },
  ],
} as const satisfies Manifest;

type M = typeof manifest;

describe("an island's props", () => {
  test('are the values of the settings, always present if they have a default', () => {
    expectTypeOf<PropsOf<BlockOf<M, 'stars'>>>().toEqualTypeOf<{
      readonly heading: string;
      readonly note?: string;
      readonly unit: 'stars' | 'hearts';
      readonly most: number;
      readonly height?: number;
      readonly open: boolean;
      readonly colour: string;
    }>();
  });

  test('are those of each block that names the island', () => {
    type ListProps = Parameters<Islands<M>['List']>[0];
    expectTypeOf<ListProps>().toEqualTypeOf<Readonly<Record<string, never>> | { readonly sku?: string }>();
  });

  test('cannot be misspelt, and every island is required', () => {
    // @ts-expect-error -- there is no setting of this name
    const misspelt: Islands<M>['Stars'] = ({ headline }) => String(headline);
    // @ts-expect-error -- List is missing
    const incomplete: Islands<M> = { Stars: () => '' };
    expectTypeOf(misspelt).toBeFunction();
    expectTypeOf(incomplete).toBeObject();
  });

  test('are simple values for unknown settings', () => {
    expectTypeOf<SettingValues<Record<string, { type: 'checkbox'; label: string }>>>().toEqualTypeOf<{
      readonly [key: string]: boolean | undefined;
    }>();
  });
});

test("the kit's manifest type equals the platform's", () => {
  expectTypeOf<PlatformManifest>().toExtend<Manifest>();
  expectTypeOf<keyof PlatformManifest>().toEqualTypeOf<keyof Manifest | 'integrity'>();
});
