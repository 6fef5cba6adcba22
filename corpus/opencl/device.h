// Work items and barriers of OpenCL C on clang's builtins, so that no library has to be linked.
#define LOCAL_ID(d) __nvvm_read_ptx_sreg_tid_##d()
#define GROUP_ID(d) __nvvm_read_ptx_sreg_ctaid_##d()
#define LOCAL_SIZE(d) __nvvm_read_ptx_sreg_ntid_##d()
#define GLOBAL_ID(d) (GROUP_ID(d) * LOCAL_SIZE(d) + LOCAL_ID(d))
#define BARRIER() __nvvm_bar_sync(0)
