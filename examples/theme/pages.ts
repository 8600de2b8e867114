/** A block as an editor placed it: its name in the catalogue, and values for its settings. Others have their defaults. */
export interface PlacedBlock {
  name: string;
  props?: Readonly<Record<string, unknown>>;
}

export interface Page {
  title: string;
  text: string;
  /** Blocks say on which types of pages they may be placed. */
  pageType: 'page' | 'product';
  blocks: readonly PlacedBlock[];
}

/** By path; a real theme keeps its pages in a database. */
export const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
  [
    '/',
    {
      title: 'Furniture for offices',
      text: 'Chairs and lamps, delivered in a week.',
      pageType: 'page',
      blocks: [
        {
          name: 'ext__opinio__reviews__summary',
          props: { heading: 'Our most loved chair', sku: 'CHAIR-01', scale: 'ten' },
        },
      ],
    },
  ],
  [
    '/products/chair-01',
    {
      title: 'Chair Jena',
      text: 'Birch, stackable, 129.00 EUR.',
      pageType: 'product',
      blocks: [
        { name: 'ext__opinio__reviews__summary', props: { sku: 'CHAIR-01', colour: '#1a6b3c' } },
        { name: 'ext__opinio__reviews__list', props: { sku: 'CHAIR-01', most: 2, names: false } },
      ],
    },
  ],
  [
    '/products/lamp-01',
    {
      title: 'Desk lamp Suhl',
      text: 'Steel, dimmable, 59.00 EUR.',
      pageType: 'product',
      blocks: [
        { name: 'ext__opinio__reviews__summary', props: { heading: 'What buyers say', sku: 'LAMP-01' } },
        { name: 'ext__opinio__reviews__list', props: { sku: 'LAMP-01' } },
      ],
    },
  ],
]);
