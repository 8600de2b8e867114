/** Loads a stylesheet that only some screens need; resolves once it applies. */
export async function loadStylesheet(href: string): Promise<void> {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  const loaded = new Promise<void>((resolve, reject) => {
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => reject(new Error(`The stylesheet ${href} could not be loaded.`)));
  });
  document.head.append(link);
  await loaded;
}
