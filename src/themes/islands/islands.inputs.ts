import { z } from 'zod';
import { parseExact } from '#src/infra/text/exact-numbers.ts';

/** The limit of blocks of a page. */
const maxBlocks = 50;
/** The limit of props, as JSON. */
const maxPropsBytes = 8 * 1024;

const isSmall = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) <= maxPropsBytes;
const tooLarge = `The props must not be larger than ${maxPropsBytes} bytes of JSON.`;

const given = z.record(z.string(), z.unknown()).refine(isSmall, tooLarge);

/** A value for each setting of a block. */
export const blockProps = given.nullish().transform((props) => props ?? {});

const inJson = z
  .string()
  .refine((text) => text.length <= maxPropsBytes, { message: tooLarge, abort: true })
  .transform((text, context): unknown => {
    try {
      return parseExact(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'The props must be an object in JSON.' });
      return z.NEVER;
    }
  })
  .pipe(given);

const pageType = z.string().min(1).max(191);

/** One block, from a query. */
export const renderBlockQuery = z.object({ page_type: pageType, props: inJson.default({}) });

/** The blocks of a page. */
export const renderBlocksBody = z.object({
  page_type: pageType,
  blocks: z
    .array(z.object({ name: z.string().max(191), props: blockProps }))
    .min(1)
    .max(maxBlocks),
  /** True in the page editor, which loads no assets of extensions. */
  editor: z.boolean().default(false),
});
