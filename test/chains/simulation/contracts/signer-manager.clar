;; A signer manager that lets everybody stake with it.
(impl-trait 'ST000000000000000000002AMW42H.pox-5.signer-manager-trait)
(use-trait manager 'ST000000000000000000002AMW42H.pox-5.signer-manager-trait)

(define-public (validate-stake! (staker principal) (first uint) (count uint) (ustx uint) (sats uint) (is-bond bool) (data (optional (buff 500))))
  (ok true))

(define-public (checkpoint-staker (staker principal) (first uint) (count uint) (is-bond bool))
  (ok true))

;; Only the manager itself may bind a key to it.
(define-public (register (self <manager>) (key (buff 33)))
  (as-contract? ()
    (try! (contract-call? 'ST000000000000000000002AMW42H.pox-5 register-signer self key))))
