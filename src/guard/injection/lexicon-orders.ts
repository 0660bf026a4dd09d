import type { Lexicon } from "./concept.ts";

/** What was ordered before, what is ordered instead, and asking to see it. */
export const ORDERS: Lexicon = {
  override: `
en ignore,disregard,forget,override,overrule,discard,neglect,set aside,put aside,pay no attention to,do not follow,don't follow,stop following,do not obey,don't obey,never mind,nevermind,no longer follow,abandon,supersede,throw away,stop obeying,leave aside,do not comply with,wipe from memory,overwrite
de ignorier,ignoriere,ignorieren,ignoriert,vergiss,vergesse,vergessen sie,missachte
nl negeer,negeren,vergeet,vergeten,veronachzaam,overschrijf,houd geen rekening
es ignora,ignorad,ignorar,olvida,olvide,olvidate,olvidar,descarta
fr ignorez,ignorer,oublie,oubliez,oublier,ne tiens pas compte,ne tenez pas compte,ne tiens plus compte
it ignorate,ignorare,dimentica,dimenticare,dimenticati,trascura,scarta,non seguire
pt ignorem,esqueca,esquece,esquecer,desconsidere,desconsidera,desconsiderar,nao siga
pl zignoruj,ignoruj,ignorujcie,zapomnij,pomin,porzuc,odrzuc,nie stosuj
tr yok say,yoksay,gormezden gel*,unut,dikkate alma,gozardi et,goz ardi et,gecersiz kil
id abaikan,abaikanlah,lupakan,lupakanlah,jangan ikuti,jangan patuhi,jangan hiraukan,kesampingkan
vi bo qua,quen,quen di,quen het,phot lo,lo di,khong tuan theo,dung tuan theo
ru игнорируй*,проигнорируй*,игнорировать,забудь*,забыть,не обращай внимания,не следуй,не соблюдай
uk ігноруй*,проігноруй*,ігнорувати,забудь*,не звертай уваги,не дотримуйся,не виконуй,не слідуй
zh 忽略,无视,忽视,忘记,忘掉,不要遵守,不要遵循,不用遵守
ja 無視,忘れ,従わない,従わず,破棄,無効に,上書き,守らない
ko 무시,잊어,잊고,잊으,따르지 마,따르지 말,지키지 마,무효
th เพิกเฉย,ละเลย,ลืม,ไม่ต้องสนใจ,อย่าสนใจ,ไม่สนใจ,ไม่ต้องทำตาม,อย่าทำตาม
ar تجاهل,انس,انسى,تناسى,اغفل,لا تلتزم,لا تتبع,لا تطبق
he התעלם,התעלמי,התעלמו,שכח,תשכח,שכחי,אל תציית,אל תמלא
hi अनदेखा,अनदेखी,नज़रअंदाज़,नजरअंदाज,भूल जा,भूल कर,भूलकर,उपेक्षा
`,
  instructions: `
en instruction*,rules,rule,directive*,directions,guideline*,guidance,constraints,restrictions,limitations,orders,programming,safeguards,policies,commands,assignment,objective*,mission,context,everything above,all of the above,the above,everything before,conversation,training,guardrails,requirements,system message,the bug report,boundaries,request,task,current task,your task,previous prompt,the prompt,prior prompt,above prompt
de anweisung*,instruktion*,regel,regeln,vorgabe*,richtlinie*,befehl*
nl instructie*,regels,richtlijn*,opdracht*,voorschrift*,aanwijzing*,beperking*
es instruccion*,regla,reglas,directiva*,directri*,orden,ordenes
fr instruction*,consigne*,regle,regles,directive*,ordre,ordres
it istruzion*,regola,regole,direttiv*,ordini,ordine,linee guida
pt instruc*,instruco*,regra,regras,diretriz*,diretiv*,ordem
pl instrukcj*,polecen*,zasad*,regul*,wytyczn*,rozkaz*,ograniczen*
tr talimat*,kural*,yonerge*,komutlari,emir*,kisitlama*,yonlendirme*
id instruksi,aturan,perintah,arahan,pedoman,panduan,petunjuk
vi huong dan,chi dan,chi thi,quy tac,menh lenh,lenh,quy dinh
ru инструкци*,указани*,правил*,директив*,приказ*,ограничени*,команды
uk інструкці*,вказівк*,правил*,директив*,наказ*,обмежен*,команди
zh 指令,指示,规则,规定,说明,命令,要求
ja 指示,命令,ルール,規則,制約,制限,方針
ko 지시,명령,규칙,지침,제한,제약,프롬프트
th คำสั่ง,กฎ,คำแนะนำ,ข้อกำหนด,แนวทาง,ข้อจำกัด,ระเบียบ
ar تعليمات,قواعد,اوامر,توجيهات,ارشادات,قيود,القيود
he הוראות,הנחיות,כללים,פקודות,מגבלות,חוקים,הכללים
hi निर्देश,नियम,आदेश,दिशानिर्देश,दिशा निर्देश,हिदायत,प्रतिबंध
`,
  prior: `
en previous,previously,prior,earlier,preceding,above,before,existing,all,any,every,everything,your,original,initial,former,past,system,so far,old,given,developer's,operator's,operator,those,whatever,until now,up to now,the user's,the developer's
de vorherig*,vorige*,bisherig*,fruher*,obige*,oben,alle,alles,deine*
nl vorige,eerdere,voorgaande,bovenstaande,je,jouw,uw,eerder
es anterior*,previa*,previo*,todas,todos,todo,tus,tu
fr precedent*,anterieur*,toutes,tous,tout,tes,vos,ta
it tutte,tutti,tutto,tue,tuoi,tua,sopra,inizial*
pt acima,tudo,suas,seus,sua,tuas,do sistema,precedente*
pl poprzedni*,wczesniejsz*,powyzsz*,wszystki*,swoi*,swoje,twoj*,wczesniej
tr onceki,tum,butun,yukaridaki,sana verilen,mevcut,daha once*,senin
id sebelumnya,semua,di atas,kamu,anda,seluruh,segala,terdahulu
vi truoc do,truoc day,truoc,o tren,tren,moi,tat ca,cua ban
ru предыдущ*,прежни*,все,всё,всех,выше,вышеуказанн*,свои,своих,твои
uk попередн*,усі,всі,усе,все,вище,свої,своїх,твої
zh 之前,以前,先前,上述,上面,前面,所有,一切,你的,系统,全部,任何,以上
ja 以前,これまで,前の,すべて,全て,全部,上記,上の,あなたの,システム
ko 이전,모든,모두,앞선,앞의,위의,지금까지,너의,당신의
th ก่อนหน้า,ทั้งหมด,ทุก,ข้างต้น,ด้านบน,ของคุณ,เดิม,ที่ผ่านมา
ar سابق,كل,جميع,اعلاه,كافة,السابقة,الاصلية,النظام,الخاصة بك
he קודמ,כל ,מכל,שלמעלה,לעיל,הקודמ,שלך,המערכת
hi पिछले,पिछली,सभी,सारे,पहले,ऊपर,अपने,अपनी
`,
  fresh: `
en new instruction*,updated instructions,new directive*,new task,new goal,new objective*,your new rules,policy update,your real task,real task,your true,your next step,your sole,sole objective,only task,your job is now,your task is now,instructions have changed,instructions changed,following directives,following instructions instead,new orders,real instructions,new mission,new system prompt,priority override,updated policy,your new role,admin override,stop what you,drop what you,your task is,your job is,your only job,required action
`,
  void: `
en no longer apply,no longer applies,no longer valid,no longer in effect,are void,is void,have changed,are cancelled,is cancelled,cancelled,canceled,are suspended,is suspended,revoked,are lifted,do not apply,don't apply,are invalid,was a test,overridden,rescinded,ends here,superseded by,no longer required,no longer needed,do not bind,do not exist,not bind you,does not exist
`,
  obey: `
en obey,comply,comply with,carry out,do what it says,do as it says,do it,run it,run the result,act on,and do,run them,execute them,do x,follow it,follow the result*,follow them,and follow,follow the,and execute,execute it,then follow,execute the,follow exactly,and obey,and run,run the,do what this,do what the,as this comment,comply with everything,continue with
`,
  prompt: `
en system prompt*,system message,system instructions,initial prompt,hidden prompt,your prompt,developer prompt,original prompt,developer message,hidden instructions,secret instructions,tool list,tool definitions,initial instructions,full prompt,your configuration,your instructions,your system,your guidelines,internal instructions,internal rules,hidden rules,your rules,developer instructions,your developer,context window,your context,developer asked,user asked,were told,been told,everything you know,everything you were,what you know,what you are doing,told you
de systemprompt*,system prompt*,systemnachricht
nl systeemprompt*,systeem prompt,systeembericht
es prompt del sistema,mensaje del sistema,prompt de sistema,instrucciones iniciales
fr prompt systeme,invite systeme,message systeme
it prompt di sistema,messaggio di sistema,istruzioni nascoste
pt prompt do sistema,mensagem do sistema,instrucoes ocultas
pl prompt systemowy,promptu systemowego,komunikat systemowy
tr sistem istemi*,sistem komutu*,sistem mesaji*
id prompt sistem,pesan sistem,instruksi sistem
vi loi nhac he thong,prompt he thong,huong dan he thong
ru системн* промпт*,системн* подсказк*,системн* сообщени*
uk системн* промпт*,системн* підказк*,системн* повідомлен*
zh 系统提示,系统提示词,系统消息
ja システムプロンプト,システムメッセージ,システム指示
ko 시스템 프롬프트,시스템 메시지,시스템 지시
th พรอมต์ระบบ,พรอมต์ของระบบ,ข้อความระบบ
ar موجه النظام,رسالة النظام,تعليمات النظام
he הודעת המערכת,הנחיית המערכת,הוראות המערכת
hi सिस्टम प्रॉम्प्ट,सिस्टम संदेश,सिस्टम निर्देश
`,
  reveal: `
en reveal,print,output,show,display,dump,repeat,disclose,leak,expose,echo,recite,quote,reproduce,write out,tell me,give me,paste,spell out,translate,return,state,list,share,summarise,summarize,what were,convert,copy,start with,include,describe,post,publish,type out,read out,read back,render,report,emit
de zeige,zeig,gib,ausgeben,verrate
nl toon,geef,onthul,herhaal,druk
es muestra,muestre,mostrar,revela,revele
fr affiche,affichez,afficher,montre,montrez
it mostra,mostrare,rivela,stampa,ripeti
pt mostre,imprima,repita,diga,escreva
pl pokaz,wyswietl,ujawnij,wypisz,powtorz
tr goster,yazdir,acikla,tekrarla,ifsa et
id tampilkan,tunjukkan,ungkapkan,cetak,ulangi
vi hien thi,tiet lo,in ra,lap lai,cho xem
ru покажи,выведи,раскрой,напечатай,повтори
uk покажи,виведи,розкрий,надрукуй,повтори
zh 显示,打印,输出,展示,透露
ja 表示,出力,見せ,明かし,開示
ko 출력,보여,표시,공개,알려
th แสดง,เปิดเผย,พิมพ์,บอก,ทวน
ar اعرض,اظهر,اطبع,اكشف,كرر
he הצג,הדפס,חשוף,הראה,גלה
hi दिखा,प्रकट,प्रिंट,दोहरा,बता
`,
  verbatim: `
en verbatim,word for word,exactly as,exactly,letter for letter,every word,all words,everything above,text above,words above,starting with,from the beginning,the beginning,the very beginning,in a code block,as json,character by character,unmodified,in full,line by line,the first line,exact text
`,
  inner: `
en your,full,complete,entire,hidden,exact,initial,original,secret,internal,confidential,raw,you were given,you were told,you received,you have been given,you follow,you were programmed
`,
};
