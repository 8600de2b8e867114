import type { Screens } from '#console/ui/screens/screen.ts';
import { loadStylesheet } from '#console/ui/stylesheet.ts';
import { EditorPage } from './editor-page.tsx';
import editorStyles from '#console/ui/styles/editor.css?url';

// Before anything is drawn: the canvas has no size without it.
await loadStylesheet(new URL(editorStyles, import.meta.url).href);

export const editor: Screens = { object: (id) => <EditorPage key={id} id={id} /> };
