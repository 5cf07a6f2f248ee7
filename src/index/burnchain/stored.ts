/** The door to the records of reward data: routes serve their texts unread. */

/** The fields of a column `record` of REWARD_SLOTS, REWARDS or POX_TXS. */
export const readRewardRecord = (record: string): Readonly<Record<string, string | number | boolean>> =>
  JSON.parse(record) as Readonly<Record<string, string | number | boolean>>;
