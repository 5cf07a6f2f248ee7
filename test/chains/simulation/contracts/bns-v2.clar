;; Names with numbers for tokens, and the prints of BNS version 2 (docs/spec/names.md#version-2). Who may do what is left out.
(define-non-fungible-token BNS-V2 uint)
(define-map names uint { name: (buff 48), namespace: (buff 20) })

(define-read-only (get-owner (id uint)) (nft-get-owner? BNS-V2 id))
(define-read-only (get-name (id uint)) (map-get? names id))

(define-private (about (id uint) (owner principal))
  { owner: owner, name: (unwrap-panic (map-get? names id)), id: id, properties: none })

(define-public (register (id uint) (name (buff 48)) (namespace (buff 20)))
  (begin
    (try! (nft-mint? BNS-V2 id tx-sender))
    (map-set names id { name: name, namespace: namespace })
    (print (merge (about id tx-sender) { topic: "new-name" }))
    (ok id)))

(define-public (airdrop (id uint) (name (buff 48)) (namespace (buff 20)) (owner principal))
  (begin
    (try! (nft-mint? BNS-V2 id owner))
    (map-set names id { name: name, namespace: namespace })
    (print { topic: "new-airdrop", owner: owner, name: { name: name, namespace: namespace }, id: id, registered-at: burn-block-height })
    (ok id)))

(define-public (transfer (id uint) (sender principal) (recipient principal))
  (begin
    (asserts! (is-eq tx-sender sender) (err u4))
    (try! (nft-transfer? BNS-V2 id sender recipient))
    (print (merge (about id recipient) { topic: "transfer-name" }))
    (ok true)))

(define-public (renew (id uint))
  (begin
    (asserts! (is-eq (some tx-sender) (nft-get-owner? BNS-V2 id)) (err u4))
    (print (merge (about id tx-sender) { topic: "renew-name", id: (some id) }))
    (ok true)))

(define-public (burn (id uint))
  (begin
    (try! (nft-burn? BNS-V2 id tx-sender))
    (print { topic: "burn-name", owner: "", name: (unwrap-panic (map-get? names id)), id: id })
    (ok true)))

;; A token of which nothing ever tells a name.
(define-public (mint-nameless (id uint))
  (nft-mint? BNS-V2 id tx-sender))
