import { memo, type ReactNode, useCallback } from 'react';
import { ConfigField } from './config-field.tsx';
import type { ConfigFieldProps } from './nested/form-levels.ts';

interface Props extends Pick<ConfigFieldProps, 'field' | 'value' | 'isDisabled' | 'node' | 'hasBranches'> {
  formId: string;
  put: (key: string, value: unknown) => void;
  children?: ReactNode;
}

/** A field at the top of a form. Rendered again only when the field changes, because a form may have hundreds. */
export const TopField = memo(function TopField({ formId, field, put, children, ...props }: Props) {
  const { key } = field;
  const set = useCallback((value: unknown) => put(key, value), [put, key]);
  return (
    <ConfigField {...props} {...{ field, set }} id={`${formId}-${key}`} path={key}>
      {children}
    </ConfigField>
  );
});
