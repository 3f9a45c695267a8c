/**
 * The kit that every backend, transfer path, identity policy and connector passes. A backend's
 * tests extend {@link io.kvasir.conformance.StoreContract} and give its provider and a
 * configuration; capabilities are read from its descriptor. Randomness prints its seed.
 *
 * <p>The rules, each proved by the test that bears its number:
 *
 * <table>
 * <caption>Rules of the kit</caption>
 * <tr><th>rule</th><th>what holds</th></tr>
 * <tr><td>R-ID-1</td><td>one field of the manifest changed finds nothing and none changed
 *     finds all</td></tr>
 * <tr><td>R-ID-2</td><td>one thing of the request changed finds nothing</td></tr>
 * <tr><td>R-ID-3</td><td>same hash in another namespace group or shard is another
 *     block</td></tr>
 * <tr><td>R-ID-4</td><td>keys of another namespace are the callers mistake</td></tr>
 * <tr><td>R-ID-5</td><td>odd names are names like any other</td></tr>
 * <tr><td>R-ID-6</td><td>labels and what is superseded are not identity</td></tr>
 * <tr><td>R-ID-7</td><td>damaged manifest is a mismatch and nothing is changed</td></tr>
 * <tr><td>R-STATUS-1</td><td>absent block is a miss and no exception</td></tr>
 * <tr><td>R-STATUS-2</td><td>present and absent blocks of one call each have their
 *     status</td></tr>
 * <tr><td>R-STATUS-3</td><td>block that is gone since the lookup is a miss</td></tr>
 * <tr><td>R-STATUS-4</td><td>damaged block is corrupt and never ok</td></tr>
 * <tr><td>R-STATUS-5</td><td>frame of another size is refused</td></tr>
 * <tr><td>R-STATUS-6</td><td>failure is a status and health says so</td></tr>
 * <tr><td>R-STATUS-7</td><td>hanging call ends at its deadline</td></tr>
 * <tr><td>R-STATUS-8</td><td>deadline that has passed ends in a status at once</td></tr>
 * <tr><td>R-STATUS-9</td><td>lookup tells of each block also behind an absent one</td></tr>
 * <tr><td>R-ATOM-1</td><td>saved blocks of any size load byte for byte</td></tr>
 * <tr><td>R-ATOM-2</td><td>existing block is ok and left untouched</td></tr>
 * <tr><td>R-ATOM-3</td><td>save of old and new blocks adds the new ones</td></tr>
 * <tr><td>R-ATOM-4</td><td>save that its deadline cuts off leaves each block absent or
 *     whole</td></tr>
 * <tr><td>R-ATOM-5</td><td>frames are neither read nor written after the call
 *     returned</td></tr>
 * <tr><td>R-ATOM-6</td><td>save changes no payload and nothing beside a frame</td></tr>
 * <tr><td>R-CONC-1</td><td>writers of one key do not harm each other</td></tr>
 * <tr><td>R-CONC-2</td><td>readers writers and evictor see no exception and no wrong
 *     byte</td></tr>
 * <tr><td>R-LEASE-1</td><td>leased blocks stay loadable whatever is stored
 *     meanwhile</td></tr>
 * <tr><td>R-LEASE-2</td><td>at most half is leased and a closed lease makes room for
 *     another</td></tr>
 * <tr><td>R-LEASE-3</td><td>closed lease holds nothing and closes again</td></tr>
 * <tr><td>R-LEASE-4</td><td>store without leases gives hints</td></tr>
 * <tr><td>R-LEASE-5</td><td>lease ends with its namespace</td></tr>
 * <tr><td>R-DEL-1</td><td>removed namespace misses and every other hits</td></tr>
 * <tr><td>R-DEL-2</td><td>removing a namespace is safe to repeat and absent is fine</td></tr>
 * <tr><td>R-DEL-3</td><td>removed blocks miss and their neighbours hit</td></tr>
 * <tr><td>R-DEL-4</td><td>lease does not keep what is removed</td></tr>
 * <tr><td>R-RESTART-1</td><td>acknowledged blocks hit after the store was opened
 *     again</td></tr>
 * <tr><td>R-RESTART-2</td><td>identity holds across a restart</td></tr>
 * <tr><td>R-RESTART-3</td><td>what was removed stays removed after a restart</td></tr>
 * <tr><td>R-RESTART-4</td><td>namespaces and their manifests are listed after a
 *     restart</td></tr>
 * <tr><td>R-CAP-1</td><td>what is not claimed is unsupported</td></tr>
 * <tr><td>R-CAP-2</td><td>descriptor is constant and supports strict identity</td></tr>
 * <tr><td>R-CAP-3</td><td>namespaces are listed with manifest labels and counts</td></tr>
 * <tr><td>R-CAP-4</td><td>ten times the capacity stays within it and the latest is
 *     there</td></tr>
 * <tr><td>R-CAP-5</td><td>usage counts what is committed</td></tr>
 * <tr><td>R-CAP-6</td><td>prefix closed store publishes no block without its parent</td></tr>
 * <tr><td>R-CAP-7</td><td>block that can never fit is refused and nothing else
 *     suffers</td></tr>
 * <tr><td>R-CAP-8</td><td>view lists what is there and leaves an open store
 *     alone</td></tr>
 * <tr><td>R-CLOSE-1</td><td>what comes after the close ends closed</td></tr>
 * <tr><td>R-CLOSE-2</td><td>closed namespace is closed and another of the same id is
 *     not</td></tr>
 * <tr><td>R-CLOSE-3</td><td>close beside running calls ends in time</td></tr>
 * <tr><td>R-CLOSE-4</td><td>health is up when all works and not once closed</td></tr>
 * <tr><td>R-PATH-1</td><td>gather brings each block in payload order</td></tr>
 * <tr><td>R-PATH-2</td><td>scatter writes the blocks and nothing beside</td></tr>
 * <tr><td>R-PATH-3</td><td>memory of another kind is not accepted</td></tr>
 * <tr><td>R-PATH-4</td><td>gather waits for the fence</td></tr>
 * <tr><td>R-PATH-5</td><td>payloads are not touched once a call has returned however it
 *     ended</td></tr>
 * <tr><td>R-PATH-6</td><td>calls of several threads do not mix</td></tr>
 * <tr><td>R-POL-1</td><td>every field of the manifest changes every key</td></tr>
 * <tr><td>R-POL-2</td><td>every thing of the request changes the keys from there on</td></tr>
 * <tr><td>R-POL-3</td><td>first token changes every key of the chain</td></tr>
 * <tr><td>R-POL-4</td><td>groups shards and blocks have keys of their own</td></tr>
 * <tr><td>R-POL-5</td><td>same inputs give the same keys from any instance and
 *     thread</td></tr>
 * <tr><td>R-POL-6</td><td>keys hold nothing that a user typed</td></tr>
 * <tr><td>R-POL-7</td><td>setting that nobody knows is refused by name</td></tr>
 * <tr><td>R-POL-8</td><td>shared namespace is never a strict one</td></tr>
 * <tr><td>R-POL-9</td><td>name is one that a configuration can hold</td></tr>
 * <tr><td>R-CONN-1</td><td>saved prefix is found and loads byte for byte</td></tr>
 * <tr><td>R-CONN-2</td><td>at least the last prompt token is left to compute</td></tr>
 * <tr><td>R-CONN-3</td><td>every transfer has one result by poll or by await</td></tr>
 * <tr><td>R-CONN-4</td><td>cancelled and closed transfers still have their result</td></tr>
 * <tr><td>R-CONN-5</td><td>weight update makes old blocks unreachable and keeps old requests
 *     out</td></tr>
 * <tr><td>R-CONN-6</td><td>update without a commit shares with nobody</td></tr>
 * <tr><td>R-CONN-7</td><td>mistakes of the caller throw at submit</td></tr>
 * <tr><td>R-CONN-8</td><td>closed connector refuses requests and still delivers what it
 *     owes</td></tr>
 * <tr><td>R-CONN-9</td><td>engine at random sees no wrong byte and leaves nothing</td></tr>
 * </table>
 */
package io.kvasir.conformance;
