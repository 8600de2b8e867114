/** As the ref of an element: shows it where its container scrolls sideways, as a bar of places does on a phone. */
export function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
