import { ListLink } from './object-link.tsx';

/** A text in which `[words](noun)` links to the list of the noun. */
export function LinkedText({ text }: { text: string }) {
  const parts = text.split(/(\[.+?\]\(.+?\))/);
  return parts.map((part, index) => {
    const [, words, noun] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    return noun ? (
      <ListLink key={index} noun={noun}>
        {words}
      </ListLink>
    ) : (
      part
    );
  });
}
