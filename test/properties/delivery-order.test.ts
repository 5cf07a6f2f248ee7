import { testProperty } from '../chains/property.ts';
import { deliveryOrder } from './delivery-order.ts';

testProperty(deliveryOrder);
