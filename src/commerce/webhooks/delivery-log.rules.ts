/** Days that the log keeps a delivery with its attempts. The database's function `drop_passed_webhooks` has the same value. */
export const deliveryDays = 30;
