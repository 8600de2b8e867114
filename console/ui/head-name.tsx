import { createPortal } from 'react-dom';

/** The id of the place in the head, behind the name of the noun, where a page says what it shows. */
export const headNameId = 'head-name';

/** Says in the head what the page shows, for a page whose noun is called like another. */
export function HeadName({ text }: { text: string }) {
  const place = document.getElementById(headNameId);
  return place && createPortal(<bdi>{text}</bdi>, place);
}
