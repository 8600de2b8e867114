import { useBlocker } from '@tanstack/react-router';
import { common } from '#console/words/common.words.ts';

/**
 * Asks before entered values are left, by Back, by a link, or by closing the tab. Those of a whole page are not left by what opens and closes
 * on it.
 */
export function useUnsaved(isUnsaved: boolean, { areOfPage = false } = {}): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const stays = areOfPage && current.pathname === next.pathname;
      // oxlint-disable-next-line eslint/no-alert -- the browser's own question, which also works while the page is being left
      return isUnsaved && !stays && !confirm(common.leaveUnsaved);
    },
    enableBeforeUnload: isUnsaved,
    disabled: !isUnsaved,
  });
}
