/** An address below `<base>console/`, where the page's `<base href>` is the path of PUBLIC_URL. */
export const consoleAddress = (path: string, base: string = document.baseURI): URL => new URL(`console/${path}`, base);
