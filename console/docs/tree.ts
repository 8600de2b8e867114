/** A page of the docs as data, which the build makes of Markdown and the console draws as elements. */
export interface Page {
  name: string;
  title: string;
  /** Without the title. */
  blocks: Block[];
}

export type Block =
  | { type: 'heading'; depth: number; id: string; children: Inline[] }
  | { type: 'paragraph'; children: Inline[] }
  /** A line of a list whose items have no paragraphs. */
  | { type: 'line'; children: Inline[] }
  /** `info` is the text behind the fence, such as `json answer`; empty if there is none. */
  | { type: 'code'; info: string; text: string }
  | { type: 'table'; align: ('left' | 'right' | 'center' | null)[]; head: Inline[][]; rows: Inline[][][] }
  | { type: 'list'; start?: number; items: Block[][] }
  | { type: 'quote'; blocks: Block[] };

export type Inline =
  | string
  | { type: 'code'; text: string }
  | { type: 'strong' | 'emphasis'; children: Inline[] }
  | { type: 'link'; page: string; anchor?: string; children: Inline[] }
  /** A link to an address of the web. */
  | { type: 'outside'; href: string; children: Inline[] }
  /** A place that links lead to, without text. */
  | { type: 'anchor'; id: string }
  | { type: 'break' };
