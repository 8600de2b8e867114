/** The reference of the movement that reserves the stock of a position. */
export const reservationOf = (positionId: number): string => `order-position:${positionId}`;
