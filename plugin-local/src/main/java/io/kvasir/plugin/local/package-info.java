/** A store on the local disk. */
package io.kvasir.plugin.local;
