/**
 * Words and phrases by what they mean. `stem*` also matches longer words, a blank any run of blanks, hyphens or
 * underscores. Latin words are written without accents, as they are compared. `de:` and the like are for the reader: a
 * text is searched for the words of every language. An entry is what others would write too, never a sentence.
 */
export const WORDS = `
override: disobey, abandon, overrule, supersede, neglect, ignore, disregard, forget, override, discard, nevermind,
  overwrite, set aside, stop following, cancel the, erase your, drop it  de: ignorier*, vergiss, vergesse*  nl: negeer,
  vergeet  es: ignora, olvida, olvide, olvidate  fr: ignorez, oublie, fais abstraction, oubliez  it: dimentica,
  lascia perdere  pt: esqueca, desconsidere  pl: zignoruj, zapomnij  tr: unut, yok say, bos ver*, gormezden gel
  id: abaikan, lupakan  vi: quen, bo qua  ru: игнорируй*, проигнорируй*, забудь*, не обращай внимания  uk: ігноруй*,
  проігноруй*  zh: 忽略, 无视, 忘记, 不要遵守, 当作不存在, 忽视  ja: 無視, 忘れ  ko: 무시, 잊고  th: เพิกเฉย, ลืม, ไม่ต้องสนใจ  ar: تجاهل, انس
  he: התעלם, שכח  hi: अनदेखा, नज़रअंदाज़, भूल जा
task: constraints, restrictions, limitations, orders, policies, commands, assignment, objective*, mission, context,
  conversation, training, request, task, user's question, user's plan, what the user
instructions: instruction*, rules, directive*, directions, guideline*, guidance, guardrails, everything before,
  the above  de: anweisung*, regel, regeln, vorgabe*, richtlinie*, befehl*  nl: instructie*, regels, opdracht*
  es: instruccion*, reglas, indicacion*  fr: consigne*, regles  it: istruzion*, regole, limit*  pt: instruc*, regra,
  regras  pl: instrukcj*, polecen*, zasad*, regul*  tr: talimat*, kural*, komut*  id: instruksi, aturan, perintah
  vi: lenh, chi dan, huong dan  ru: инструкци*, указани*, правил*  uk: інструкці*, вказівк*  zh: 指令, 指示, 规则, 说明, 命令, 要求
  ko: 지시, 명령, 규칙, 지침, 프롬프트  th: คำสั่ง, กฎ  ar: تعليمات, قواعد  he: הוראות, הנחיות, כללים, הכללים, ההוראות  hi: निर्देश,
  नियम
prior: previous, prior, earlier, above, before, existing, all, any, every, everything, your, original, initial, former,
  system, given, developer's, operator's, operator, whatever, the user's, current, usual, normal  de: vorherig*,
  vorige*, bisherig*, alle, alles, deine*, vorher  nl: eerdere, je  es: anterior*, previa*, previo*, todas, todo, tus,
  tu, antes  fr: precedent*, toutes, tous, tout, tes, ta, donnees  it: tutte, finora, ricevut*, prima  pt: acima, tudo,
  suas, sua, precedente*  pl: poprzedni*, wczesniejsz*, wszystki*, swoi*, swoje  tr: onceki, tum, butun  id: sebelumnya,
  semua  vi: truoc, tren, moi, o tren, cac  ru: предыдущ*, прежни*, все, выше, свои, раньше  uk: попередн*, усі, усе,
  свої, раніше  zh: 之前, 以前, 先前, 上述, 所有, 你的, 系统, 任何, 以上  ja: これまで, 前の, すべて, あなたの, システム  ko: 이전, 모든, 모두, 앞선, 지금까지
  th: ก่อนหน้า, ทั้งหมด, ของคุณ  ar: سابق, كل, جميع, اعلاه, السابقة, النظام, قواعدك  he: קודמ, כל, מכל, שלמעלה, הקודמ,
  שלך, המערכת, קודם  hi: पिछले, सभी, सारे, पहले, अपने
fresh: new orders, your job is now, your task is now, stop what you, stop summariz*, instead do, new instruction*,
  new task, new goal, policy update, real task, required action, new priority, new ones
void: is now void, are now void, now invalid, been revoked, have been revoked, been replaced, no longer binding,
  null and void, cancelled, revoked, are suspended, are lifted, is void, is finished, don't apply, don't matter,
  was a test, hereby replaced, do not count, never written, superseded, are stale, are switched off, matters here,
  obsolete  zh: 无效  ja: 無効です
obey: obey, comply, do it, run it, run the, and do, and follow, and execute, and run, execute the, follow these,
  do what, and act
prompt: hidden prompt, instructions you were given, above this line, system prompt*, system message,
  initial instructions, your prompt, your configuration, your instructions, your system, your developer, your context,
  developer message, developer asked, were told, told you, were you told, your setup, your initial, precedes this
  de: systemprompt*  nl: systeemprompt*  es: instrucciones iniciales  it: prompt di sistema  tr: sistem istemi*,
  sistem prompt*  id: prompt sistem  vi: loi nhac he thong  ru: системн* промпт*  zh: 系统提示  ja: システムプロンプト  ko: 시스템 프롬프트
  th: พรอมต์ระบบ  ar: موجه النظام  hi: सिस्टम प्रॉम्प्ट
reveal: provide, print, extract, collect, harvest, gather, reveal, output, show, display, dump, repeat, disclose, leak,
  expose, echo, quote, reproduce, translate, return, state, list, share, summarise, summarize, convert, copy, include,
  post, publish, render, report, write your, write down, tell me, give me, what were, what does, what are your,
  what is your, put your, which rules, hand over, listing all, showing, which hidden  de: gib, zeige, zeig  nl: toon
  es: muestra, revela, ensena*, dime, muestrame, revele  fr: affiche, montre*  it: mostra, mostrami, rivela  pt: mostre
  pl: pokaz, wyswietl  tr: goster, açıkla  id: tampilkan  vi: hien thi  ru: покажи, выведи, раскрой  zh: 打印, 输出, 告诉我,
  显示, 透露, 展示  ja: 表示, 出力, 教えて, 見せて, 明らかに  ko: 출력, 보여, 알려, 공개  th: แสดง, บอก  ar: اعرض, اطبع, أظهر, اكشف  he: הצג
  hi: दिखा, बता, प्रकट
inner: verbatim, exactly, unchanged, your, full, complete, hidden, exact, initial, original, secret, internal,
  confidential, you were given, you received, you have, give you  de: versteckt*  es: oculta*, oculto*  fr: cache*
  it: nascost*  tr: gizli  ru: скрыт*  zh: 隐藏  ja: 隠  ko: 숨겨진  ar: مخفي
user: user, users, user's, human, developer, developers, operator, operators, maintainer, maintainers, owner, anyone,
  reviewer  de: benutzer*, nutzer*  nl: gebruiker*, beheerder  es: usuario*  fr: utilisateur*  it: utente
  pl: uzytkownik*  tr: kullanici*  id: pengguna  vi: nguoi dung  ru: пользовател*  uk: користувач*  zh: 用户  ja: ユーザ
  ko: 사용자  th: ผู้ใช้  ar: مستخدم  he: משתמש  hi: उपयोगकर्ता
ai: automated helper*, any agent, this ai, ai, llm, llms, chatbot*, language model*, coding agent*, coding assistant*,
  autonomous agent*, automated agent*, automated tool*, automated review*, reviewer bot*, your agent, your bot,
  the assistant  de: ki  es: ia  ru: ии  uk: ші  zh: 智能体  th: เอไอ  ar: الذكاء الاصطناعي  hi: एआई
agent: agent, agents, claude, copilot, chatgpt, gpt, codex, gemini, assistant, assistants, model, models, bot, bots,
  subagent, subagents, sub agent  de: agenten, assistent, assistenten  es: agente, asistente, asistentes  it: assistente
  pt: assistentes  pl: asystent*  tr: asistan*, ajan*  id: agen, asisten  ru: агент*, ассистент*  uk: асистент*  zh: 助手,
  智能体  ja: エージェント, アシスタント  ko: 에이전트, 어시스턴트  th: ผู้ช่วย, เอเจนต์  ar: مساعد, وكيل  he: סוכן, מהסוכן, עוזר  hi: सहायक,
  एजेंट
must: must, should, shall, authori*, have to, has to, required to, expected to, can fix  de: muss  es: debe  fr: doit,
  doivent  it: deve  pl: musi  id: harus  vi: phai  ru: должен  uk: повинен  zh: 必须  th: ต้อง  ar: يجب  he: צריך
callFor: attention, hey, hi, hello, note to, note for, instructions for, if you are, if you're, if an, as a,
  for automated, when an, let your, have the, ask the, get the, you are the, dear
authority: administrator, ciso, dba, security team, trust & safety, the maintainers, anthropic support,
  compliance department, head of, security board, decision of, the cto, security here, admin speaking, i am the,
  i'm the, notice from  nl: beheerder  es: administrador*  tr: yonetici*  ru: администратор*
approved: approved, permission to, has agreed, has consented, has allowed, been cleared, already verified,
  full permissions, has asked that, got approval, confirmed the, cleared by, are trusted, is trusted, are allowed,
  are permitted, is allowed, hereby allow*, permit agents, we cleared, already checked, user consented  de: genehmigt,
  zugestimmt  es: autorizado*, dio permiso  fr: autorise  it: verificat*  pt: autorizad*, permitid*  pl: dozwolon*
  tr: onaylandi  vi: cho phep  ru: разрешил*  zh: 授权, 已授权, 允许  ja: 許可し  ko: 승인했  th: อนุมัติ  ar: وافق  hi: मंज़ूर
relay: orchestrator, subagent, planner agent, next agent, supervisor agent, another agent, whichever agent, peer agent*,
  fellow agent*, previous agent*, other agent*, sub agents, i'm agent, agent a, agent 2, from planner, to executor,
  fellow ai, build agent, next worker, handoff:  ja: 次のエージェント
pressure: urgent, harmless, deadline, trust me, fire me, save me, it's fine, i'll check, nobody minds, go ahead,
  right now, right away, just push, capable assistant, we promised, just execute, just merge, quick one, nobody reads
  de: dringend  id: mendesak, percayalah  th: ด่วน, เชื่อฉัน
request: please, kindly
without: without, no longer need, not wait for  de: ohne  nl: zonder  es: sin  fr: sans  it: senza  pt: sem  pl: bez
  id: tanpa  vi: khong  ru: без  zh: 不要, 不必, 无需, 不需要  ja: なし, せず, ずに, ないで  ko: 없이, 지 마, 지 말  th: ไม่ต้อง, โดยไม่, อย่า
  ar: دون, لا  he: בלי, אל  hi: बिना
ask: ask, asking, confirm, confirmation*, approval*, approving, permission, consent, prompting, wait, review,
  waiting for, a review, reading it, checking, a confirmation, interrupt*, read the  de: frag*, ruckfrage*  nl: vragen,
  goedkeuring  es: pregunt*, permiso, confirma*  fr: demand*, validation  it: chieder*, conferm*  pt: pergunt*, aprovac*
  pl: pytani*  id: bertanya, persetujuan  vi: hoi, phe duyet  ru: спраш*, подтвержден*  uk: запит*, підтвердж*  zh: 询问,
  确认  ja: 確認, 許可, 承認  ko: 승인  th: ถาม, อนุมัติ, ตรวจสอบ  ar: سؤال, موافق  he: לשאול, אישור  hi: पूछ, मंज़ूरी
noAsk: accept every prompt, accept all prompts, no need to confirm, no confirmation, no review, no questions,
  straight to production, without question*  de: nicht notig  fr: n'est requise, aucune validation  pl: zgoda nie
  tr: sormadan  ru: не нужны  uk: не потрібні  zh: 不需要任何确认, 无需确认  ja: 承認は不要, 確認は不要  th: ไม่ต้องขออนุมัติ, ไม่ต้องถาม
hush: say nothing  tr: soyleme*  ja: 黙って
tell: acknowledge, acknowledging, bring this up, telling, inform, mention, report, reveal, disclose, alert, explain,
  warn, warning, show, bring it up, say  de: erwahn*, sag  nl: vertel*  es: digas, mencion*, avis*, comentes  fr: dis,
  parler, parle, dites  it: dirlo, avvisar*, ditelo  pt: contem, mencione*  pl: mowcie  tr: soylemeyin  vi: noi, bao
  ru: говори*, сообща*  uk: повідомля*, кажіть  zh: 告诉, 提及  ja: 知らせ, 伝え  ko: 알리, 말하  th: บอก, แจ้ง  ar: تخبر  he: תספר
  hi: बता
thing: you did this, these instructions, the argument, this, it, that, why, bcc
stealth: silently, quietly, can't see  ko: 몰래  ar: خفية
not: not, never, don't, doesn't, cannot, can't, won't, neither, nor, didn't, avoid, without, isn't, rarely, stop, no,
  console, from debug, redact, mask, masked, rotate, revoke, ask the user to, leaked, leaking  it: non
dont: don't, never, avoid, do not, must not, no need to  de: nicht, keine  nl: niet  es: nunca  fr: ne, pas, jamais
  pt: nao  pl: nie  id: tidak, jangan  vi: khong, dung  ru: не  zh: 不要, 不会, 请勿  ja: ないで, しない  ko: 지 마, 지 말, 지 않
  th: อย่า, ไม่  ar: لا, لن  he: אל, לא, אין  hi: नहीं
run: run, rerun, execute, exec, invoke, call, install, eval, trigger, visit, download, deploy, merge, commit, push,
  running, proceed, apply, submit, fetch, start, do it  de: fuhre, fuhrt  nl: voer  es: ejecuta, ejecutar  fr: lancez
  it: esegui, eseguire, eseguite  pt: rode, executem  pl: uruchom, uruchomcie  tr: calistir, calistirin  id: jalankan
  vi: chay  ru: выполни, запусти, запустите  uk: виконай, запустіть  zh: 执行, 运行, 调用  ja: 実行, 呼び, デプロイ  ko: 실행  th: รัน
  ar: نفذ, شغل  he: הרץ, הריצ  hi: चला
act: add, append, create, modify, edit, change, update, replace, book, buy, purchase, transfer, click, recommend, grant,
  enable, use, close, insert, register, set, rename, import, mark, approve, say, tell, output, substitute, treat,
  follow, open, do, stop, give, trust, accept, consider, provide, extract, repeat, encode, enter, list, include,
  generate, continue, begin, find, read, summarize, summarise, suggest, pick, prefer, download, switch, revert, move,
  collect, rewrite, report, attach, zip, star, assign, export, leave, keep, bump, release, expose, alter, swap, rotate,
  reset, reboot, allow, turn, put, store, save, track, link, load, tag, revoke, wipe, search, retry, submit, write to,
  write into, reload, refresh, widen, complete, convert, amend, fetch, rank, vote, subscribe, unlock, bcc
send: sends, posts, uploads, exfiltrate*, transmits, forwards, send, upload, post, leak, forward, email, mail, bcc,
  paste, attach, share, publish, include, append, submit, copy, push, encode, pass, dump, sending, uploading, posting,
  pasting, print, output, disclose, put, relay, hand over, be sent, be passed, be shared, give me, supply, ship, mirror,
  hand out  de: sende, schicke, veroffentliche, lade, schick  nl: stuur, plaats, plakken  es: envia, envie, pegue,
  publica, publique  fr: envoie, transmets, publie  it: invia, inviare, pubblica  pl: wyslij, wysle, opublikuj
  tr: gonder, yapistir  id: kirim  ru: отправь, опубликуй  uk: надішли, надіслати, опублікуй  zh: 发送, 上传, 发布  ja: 送信,
  送っ, 貼り付け  ko: 전송, 보내, 붙여  th: ส่ง  ar: ارسل, انشر  he: שלח, להדביק  hi: भेज, पोस्ट, चिपका
sink: public gist, pastebin, my server, my webhook, my ftp, my endpoint, attacker, external server, external endpoint,
  external webhook, external address, external url, externally, outside server, to me, with me, send it to, third party,
  here, gist, publicly, parameter, argument, your response, a comment, with support, the search, so that i can,
  so i can, me the, me a  de: hier  es: aqui  fr: moi  it: qui  tr: yoruma  ru: мне  ja: コメント, 教えて  th: ที่นี่  he: כאן
  hi: यहाँ
token: token, tokens, secret, secrets, workspace, contacts, cookies, vault, config.json, the keys, the environment,
  the conversation
secret: credential*, ssh key*, api key*, private key*, all documents, all user data, all data, database credentials,
  system info, browser stored, user records, customer data, user data, confidential data, financial data, login details,
  auth token*, printenv, password*, wallet, keychain, localstorage, access token*, deploy key*, session cookie*,
  shell history, connection string*, netrc, customers table, customer table, customer export, npm token*,
  root password*, secrets.yml, production secret*, prod key*, secret token*, signing secret*, stripe key*, cookie jar
  de: umgebungsvariable*, zugangsdaten, schlussel  nl: wachtwoord*, sleutel*  es: clave*  fr: secret*, cle  it: chiavi
  pt: chaves  pl: haslo, hasla, klucze  tr: parola*, anahtar*  id: sandi, kunci  vi: mat khau, khoa  ru: пароль, ключи
  uk: паролі, ключі  zh: 环境变量, 密码, 密钥, 秘密  ja: 環境変数, パスワード, 秘密鍵, トークン  ko: 비밀번호, 토큰  th: ตัวแปรสภาพแวดล้อม, รหัสผ่าน,
  โทเค็น  ar: مفاتيح, مرور قاعده  he: סיסמ, מפתח  hi: पासवर्ड, टोकन
disable: disable, disabled, disables, disabling, remove, bypass, skip, suspended, weaken, loosen, waived, step over,
  skipping, removing, relaxed, skipped, bypassed, lower your  de: deaktivier*, schalte  nl: schakel  es: desactiva*,
  elimina*, quita*  fr: desactive*, supprime*  it: disattiva*, rimuovi  pt: desative, remova*  pl: wylacz*, usun
  tr: kapat*, kaldir*  id: matikan  vi: tat  ru: отключи*, сними, снять  uk: вимкни*  zh: 关闭, 停用, 删除, 移除  ja: 無効, 削除し,
  解除  ko: 비활성화, 해제  th: ปิด  ar: عطل, تعطيل, ازل  he: כבה  hi: हटाएं
safety: approval*, restriction*, filters, content restrictions, safety measures, security measures, moderation,
  guardrail*, sandbox*, lockfile, firewall, authentication, security check*, security scan*, permission check*,
  the checks, the tests, the hooks, code review, ssl verification, rate limit*, the policy, the prompts, protection*,
  permission dialog*, confirmation, confirmations, sslverify, verification, deny section, security test*
  de: sicherheit*, beschrankungen, einschrankungen  nl: goedkeuring*, controle*  es: seguridad, confirmacion*, filtro*,
  restriccion*, protocolos de seguridad  fr: securite, filtre*, restrictions  it: conferm*, controlli, filtri,
  sicurezza, restrizioni  pt: aprovac*, confirmac*, restric*, protec*, verificac*, filtros, seguranca
  pl: bezpieczenstw*, piaskownic*, kontrol*  tr: guvenlik*, onay*, kısıtlama*  id: keamanan, persetujuan, filter,
  pemeriksaan  ru: безопасност*, подтверждени*, проверк*, фильтр*, ограничени*  uk: безпек*, підтвердженн*, перевірк*
  zh: 安全, 确认, 过滤器, 限制  ja: 承認, 確認, フィルター, セキュリティ, 制限  ko: 승인, 필터, 보안, 제한  th: ความปลอดภัย, การตรวจสอบ  ar: الامان, امان,
  الموافقة, الفحوصات, مرشحات, قيود  he: אבטחה, אישור, בדיקות  hi: सुरक्षा, जाँच, फिल्टर, प्रतिबंध
destroy: delete, deletes, wipe, erase, remove, format, overwrite, deleting, drop the, rm the  de: losche
  nl: verwijderen  es: borra, elimina  fr: supprime, efface  pt: apague  pl: usun, usunac  tr: sil  id: hapus, menghapus
  vi: xoa  ru: удали, удалить  uk: видали, видалити  zh: 删除  ja: 削除  ko: 삭제  th: ลบ  ar: احذف  he: מחק  hi: हटा, मिटा
asset: repository, repo, database, prod, production, tests, backups, backup, bucket, branch, lockfile, main, migration,
  cluster, server, history, test suite, home folder, log file*, audit logs, everything  de: sicherung*, ordner
  fr: sauvegarde*, dossier  tr: veritaban*, yedek*  id: berkas  vi: tep  ru: резервн* копи*  uk: резервн* копі*
  zh: 数据库, 文件  ja: データベース, ファイル  ko: 데이터베이스, 파일  th: ฐานข้อมูล, ไฟล์  ar: قاعده البيانات  he: מסד הנתונים  hi: डेटाबेस,
  फ़ाइल
context: file contents, contents of any file, environment context, all environment context, sidenote, full conversation,
  conversation so far, home directory, user's last, file's content*, the chat
put: dump, add, append, write, writing, put, attach, paste, pasting, post, posting, upload, uploaded, uploading, echo,
  hardcode, amend, publish, include the, hand over, drop the, copy the, attaching, saving, screenshot, we need the,
  encode the, quote the, make the, name the  de: schreib*, setze, hang*, pack*  nl: zet, plaats  es: escrib*, coloque
  fr: mets, ajoute*, joins  it: scrivi  pl: wpisz  tr: yaz, yapistir  id: tulis  vi: ghi, dan, them  ru: запиши*
  zh: 写进, 写入, 放入  ja: 書いて  ko: 적어, 적으, 넣어, 붙여  th: เขียน  ar: اكتب  he: כתוב  hi: लिख
control: policy file, policy.json, yaml, yml, toml, permission prompt*, allow list, allowlist, approvals, pretooluse,
  trust level, guardrail*, mcp, policy.yaml, settings.local, deny  de: richtlinie*, freigabe*  nl: hooks  es: politica*
  fr: politique*, permissions  tr: kuralini  ru: политик*  uk: політик*  zh: 策略, 权限  ja: ポリシー  ko: 정책  th: นโยบาย
  ar: السياسه  he: המדיניות  hi: नीति
remedy: resolution, remedy, workaround, retry, rerun, resend, and continue, restart  de: behebung, erneut  nl: oplossen
  es: solucionar*, resolver*, reintent*  fr: corriger, relanc*  it: risolver*, riprova*  pl: naprawi*, ponownie
  tr: cozmek  id: memperbaiki*  ru: исправ*, повтор*  uk: виправ*  zh: 解决, 重试  ja: 解決, 再試行  ko: 해결  th: วิธีแก้, ลองใหม่
  ar: للحل, لحل  he: לתקן  hi: फिर कोशिश
record: committing, pull request, the pr, this issue, readme, changelog, wiki, footnote, a comment, in a reply,
  the chat, your summary, at the top of, test fixture*, this thread, docs of, build artifact*, commit, the branch
  de: kommentar*  nl: reactie  es: comentario*  pt: descricao  pl: commita  tr: yorum*  ru: коммит*  uk: коментар*,
  коміт*  zh: 提交信息  ja: コミット, コメント  ko: 커밋, 이슈  ar: تعليق, التزام  hi: कमिट
machine: compiler, parser, linter, interpreter, formatter, bundler, browser, browsers, lexer, tokenizer, scheduler,
  crawler, driver, kernel, iterator, loader, matcher, decoder, server, plugin  es: compilador, servidor  fr: compilateur
  it: compilatore  pl: kompilator  tr: derleyici  ru: компилятор*  uk: компілятор*  zh: 编译器  ja: コンパイラ  ko: 컴파일러
  th: คอมไพเลอร์  ar: المترجم  he: המהדר  hi: कंपाइलर
remember: remember, memorize, save to, save this, save in, store in, store this, update your, keep in, save a, save the,
  this fact, learn this, permanent fact  de: merke  nl: onthoud  es: guarda  fr: retiens  it: memorizza  pt: guarde
  pl: zapamietaj  tr: kaydet, hafizana  id: ingat  vi: ghi nho  ru: запомни  uk: запам'ятай  zh: 记住, 请永久记住  ja: 記憶
  ko: 기억  th: จำไว้  ar: احفظ  he: זכור  hi: याद रख
memory: claude.md, agents.md, your memory, your notes, your preferences, long term memory, this preference,
  project memory  es: memoria  zh: 长期记忆
forever: permanently, forever, always, from now on, future session*, all future, all sessions, every future,
  later session*, next session*  de: kunftig*  nl: permanent, voortaan  es: nunca  it: sempre  pt: futuras  tr: kalici*,
  bundan sonra  id: seterusnya  ru: всегда  zh: 永久, 从现在起, 以后, 所有会话, 今后  ja: 今後  ko: 영구, 앞으로  th: ตลอดไป, จำไว้ตลอดไป
  ar: دائما  he: לתמיד  hi: हमेशा
persona: dan mode, maintenance mode, unrestricted assistant, sudo mode, god mode, evilbot, evil twin,
  developer override, do anything now, you are dan, root shell
roleplay: pretend to be, you are now, act as, pretend you, imagine you, my grandm*, let's play a game, once as
unlimited: unfiltered, without safety, bypass all restrictions, removes all limitations, removes all restrictions,
  unrestricted, uncensored, no restriction*, no limit*, no guidelines, no policy, never refuse*, never decline*,
  freed from, escaped its, without restriction*, without limit*, without rules, without any, without refusing,
  free from, never say*  de: ohne filter  es: sin restricciones, sin filtro*, sin limites  fr: sans restriction*,
  sans filtre, sans limite*  it: senza restrizioni, senza limiti  pt: sem restricoes, sem filtro*  tr: kısıtlamasız,
  sınırsız  ru: без ограничений, без фильтров  zh: 无限制, 没有限制, 无过滤  ja: 制限なく, 制限がありません  ko: 제한 없이, 제한이 없  ar: بلا قيود,
  بدون قيود
decode: decode, unscramble, rot13, base64, encoded, backwards, caesar, unpack, decoding, gzip, reverse of, concatenat*,
  assemble, glue, combine these, combine '*, join part, join these, first half, capital letters, first letter*, a+b,
  x+y, join s1
when: if asked, when asked, if the user, ever asks, after the third, as soon as, before answering, first run, only when,
  when generating, whenever, only act, should you be, when rebasing
toolOrder: again after, also call, always call, use ours, other search, replaces them, belong in  zh: 其他工具  ja: 他のツール
clearance: lgtm, already verified, do not flag, merge without, verified safe, is certified, is green, suggest it,
  review passed, is sanitized, is safe, as reviewed, as duplicate, approve without, transfer the, this candidate,
  the payment, order the, iban, is the safest
reply: your reply, respond with, reply with, reply that, answer only, answer with, answer every, say that, this chat,
  tell the user  de: antworte  es: responde  fr: repondez, reponds  it: rispondi  pt: responda  tr: yanıt ver
  ru: отвечай  zh: 回答  ko: 답변  ar: أجب  hi: जवाब दें
attack: attack, attacks, attacker*, injection, injections, injected, jailbreak, jailbreaks, malicious, phishing, owasp,
  untrusted, incident, cve, red team*
meta: payload, payloads, threat, threats, exploit, classif*, detect*, flags, flagged, suspicious, assert*, re.compile,
  regex*, pattern, patterns, blocklist, mustcompile, issuspicious, tobe, toequal, tohavelength, example, examples,
  severity, vulnerabilit*, advisory, mitigation, researchers, quiz, exercise, describes, explains, benchmark, sanitize,
  strip, scanner, warns, students, startswith, score, fixture, annotators, lesson, phrases, strings, markers, forge,
  catches, caught, text.lower, tag of, indicators, measures, condition, page says, expect, measured, experiment*
  de: angriff*, injektion*, erkennt  es: ataque*, inyeccion*  fr: attaque*  pt: injec*, detecta*  ru: атак*  zh: 攻击, 注入
  ja: 攻撃, インジェクション
all: all, any, every, each, everything, whole
evil: rootkit, botnet, cryptominer, malicious ai, malicious assistant, evil assistant, reverse shell, hacker, malware,
  malicious script, phishing site*, malicious link*, backdoor, keylogger
`;
