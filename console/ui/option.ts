/** One of the values to choose from. */
export interface Option {
  value: string;
  label: string;
}
