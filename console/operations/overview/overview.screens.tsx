import type { Screens } from '#console/ui/screens/screen.ts';
import { OverviewPage } from './overview-page.tsx';

export const overview: Screens = { page: () => <OverviewPage /> };
