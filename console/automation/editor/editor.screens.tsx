import type { Screens } from '#console/ui/screens/screen.ts';
import { EditorPage } from './editor-page.tsx';

export const editor: Screens = { object: (id) => <EditorPage key={id} id={id} /> };
