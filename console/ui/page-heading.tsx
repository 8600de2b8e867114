import { common } from '#console/words/common.words.ts';

/** The heading of a page, by which the browser also calls its tab. A name without letters is still shown as one. */
export function PageHeading({ text }: { text: string }) {
  const shown = text.trim() === '' ? common.unnamed : text;
  return (
    <>
      <title>{`${shown} · Causeway`}</title>
      <h1 dir="auto">{shown}</h1>
    </>
  );
}
