import { openDatabase } from '/work/main/src/store/open.ts';
import { LISTS, LIST_COUNTERS } from '/work/main/src/indexer/tables.ts';
import { POX_EVENTS, POX_DELEGATIONS } from '/work/main/src/resources/pox/tables.ts';
import { delegationsTo } from '/work/main/src/resources/pox/delegation-queries.ts';
import { startPostgres } from '/work/main/test/support/postgres.ts';
import { mkdtempSync } from 'node:fs';
const pg = await startPostgres();
for (const loc of [{kind:'sqlite',file:mkdtempSync('/tmp/perf-')+'/x.sqlite',durability:'normal'},{kind:'postgres',url:pg.url,schema:'perf'+Date.now()}] as any[]) {
  const db = openDatabase(loc);
  await db.create([LISTS, LIST_COUNTERS, POX_EVENTS, POX_DELEGATIONS]);
  const N=100000, M=20000;
  await db.write(async tx=>{
    await tx.insertMany(LISTS,[[51,'pox-4 P',0,N],[50,'',0,N]]);
    const ev:any[]=[],de:any[]=[];
    for(let i=0;i<N;i++){const s='SP'+String(i*7919%M).padStart(39,'0');
      ev.push([i,'pox-4',i,new Uint8Array(32),0,JSON.stringify({stacker:s,poxAddr:null,data:{amountUstx:'1',unlockBurnHeight:null},name:'delegate-stx',locked:'0',balance:'0',pad:'x'.repeat(150)}),new Uint8Array(400)]);
      de.push([0,i,i,s,i%3===0?i+1000:null,i%10===0?1:0,i]);}
    await tx.insertMany(POX_EVENTS,ev);await tx.insertMany(POX_DELEGATIONS,de);
  });
  for (const [o,l] of [[0,100],[10000,100],[0,200]]) for(let k=0;k<3;k++){
    const t=performance.now();
    const r=await db.read(q=>delegationsTo(q,{contract:'pox-4',pool:'P',afterHeight:0,upToHeight:N,burnHeight:50000,limit:l,offset:o}));
    console.log(loc.kind,o,l,r.total,r.records.length,(performance.now()-t).toFixed(1)+' ms');
  }
  await db.close();
}
await pg.stop();
