import { useBlocker } from '@tanstack/react-router';
import { common } from '#console/words/common.words.ts';

/** Asks before entered values are left, by Back, by a link, or by closing the tab. */
export function useUnsaved(isUnsaved: boolean): void {
  useBlocker({
    // oxlint-disable-next-line eslint/no-alert -- the browser's own question, which also works while the page is being left
    shouldBlockFn: () => isUnsaved && !confirm(common.leaveUnsaved),
    enableBeforeUnload: isUnsaved,
    disabled: !isUnsaved,
  });
}
